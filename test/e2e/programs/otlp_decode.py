# SPDX-License-Identifier: Apache-2.0
"""Decodes an OTLP request for metrics from standard input by OpenTelemetry's own classes, and prints it as JSON. Fails
if it holds anything that they do not know."""

import sys

from google.protobuf.json_format import MessageToJson
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

body = sys.stdin.buffer.read()
request = ExportMetricsServiceRequest()
request.ParseFromString(body)
request.DiscardUnknownFields()
assert request.ByteSize() == len(body), "%d of %d bytes are known" % (request.ByteSize(), len(body))
print(MessageToJson(request))
