# SPDX-License-Identifier: Apache-2.0
"""Writes a small llama with random weights as a GGUF file: tinygguf.py FILE [--layers N] [--width N]."""

import argparse

import gguf
import numpy


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--quantized", action="store_true")
    args = parser.parse_args()
    words, heads, inner = 320, 4, args.width * 2
    random = numpy.random.default_rng(1)
    writer = gguf.GGUFWriter(args.file, "llama")
    writer.add_name("tiny")
    writer.add_context_length(512)
    writer.add_embedding_length(args.width)
    writer.add_block_count(args.layers)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(args.width // heads)
    writer.add_vocab_size(words)
    tokens = ["<unk>", "<s>", "</s>"] + ["<0x%02X>" % i for i in range(256)]
    types = [2, 3, 3] + [6] * 256
    tokens += ["w%d" % i for i in range(words - len(tokens))]
    types += [1] * (words - len(types))
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * words)
    writer.add_token_types(types)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)

    def weight(name, *shape):
        values = (random.standard_normal(shape) * 0.05).astype(numpy.float32)
        if args.quantized and len(shape) == 2 and "blk" in name:
            values = gguf.quants.quantize(values, gguf.GGMLQuantizationType.Q4_0)
            writer.add_tensor(name, values, raw_dtype=gguf.GGMLQuantizationType.Q4_0)
        else:
            writer.add_tensor(name, values)

    weight("token_embd.weight", words, args.width)
    weight("output_norm.weight", args.width)
    weight("output.weight", words, args.width)
    for layer in range(args.layers):
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            weight("blk.%d.%s.weight" % (layer, name), args.width, args.width)
        weight("blk.%d.attn_norm.weight" % layer, args.width)
        weight("blk.%d.ffn_norm.weight" % layer, args.width)
        weight("blk.%d.ffn_gate.weight" % layer, inner, args.width)
        weight("blk.%d.ffn_up.weight" % layer, inner, args.width)
        weight("blk.%d.ffn_down.weight" % layer, args.width, inner)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


main()
