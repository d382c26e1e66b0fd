# SPDX-License-Identifier: Apache-2.0
"""Decodes a request of OTLP from standard input by OpenTelemetry's own classes, and prints it as JSON. Fails if it
holds anything that they do not know. usage: otlp_decode.py metrics|traces|logs"""

import sys

from google.protobuf.json_format import MessageToJson
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

body = sys.stdin.buffer.read()
request = {
    "metrics": ExportMetricsServiceRequest,
    "traces": ExportTraceServiceRequest,
    "logs": ExportLogsServiceRequest,
}[sys.argv[1]]()
request.ParseFromString(body)
request.DiscardUnknownFields()
assert request.ByteSize() == len(body), "%d of %d bytes are known" % (request.ByteSize(), len(body))
print(MessageToJson(request))
