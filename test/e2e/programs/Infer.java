// SPDX-License-Identifier: Apache-2.0
// Infer.java MODEL RUNS THREADS [TIMES]: THREADS threads share a session, each makes RUNS runs of a model with input "x"
// of 256 floats. Prints a checksum per thread; TIMES gets a line per run.
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtLoggingLevel;
import ai.onnxruntime.OrtSession;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

public class Infer {
	static long run(OrtEnvironment env, OrtSession session, float[] numbers, StringBuilder lines) throws Exception {
		try (OnnxTensor x = OnnxTensor.createTensor(env, FloatBuffer.wrap(numbers), new long[] { numbers.length })) {
			long start = System.nanoTime();
			try (OrtSession.Result result = session.run(Map.of("x", x))) {
				lines.append(start).append(' ').append(System.nanoTime()).append(" 0\n");
				return Arrays.hashCode((float[]) result.get(0).getValue());
			}
		}
	}

	public static void main(String[] args) throws Exception {
		int runs = Integer.parseInt(args[1]), n = Integer.parseInt(args[2]);
		float[] numbers = new float[256];
		for (int i = 0; i < numbers.length; i++)
			numbers[i] = (float) i / numbers.length;
		OrtEnvironment env = OrtEnvironment.getEnvironment();
		OrtSession.SessionOptions options = new OrtSession.SessionOptions();
		options.setIntraOpNumThreads(1);
		options.setSessionLogLevel(OrtLoggingLevel.ORT_LOGGING_LEVEL_FATAL);
		long[] sums = new long[n];
		StringBuilder[] lines = new StringBuilder[n];
		try (OrtSession session = env.createSession(args[0], options)) {
			Thread[] threads = new Thread[n];
			for (int t = 0; t < n; t++) {
				int mine = t;
				lines[t] = new StringBuilder();
				threads[t] = new Thread(() -> {
					try {
						for (int i = 0; i < runs; i++)
							sums[mine] += run(env, session, numbers, lines[mine]);
					} catch (Exception e) {
						throw new RuntimeException(e);
					}
				});
				threads[t].start();
			}
			for (Thread thread : threads)
				thread.join();
		}
		for (int t = 0; t < n; t++)
			System.out.println(t + " " + sums[t]);
		if (args.length > 3)
			Files.writeString(Path.of(args[3]), String.join("", lines));
		System.out.println("runs " + (long) runs * n + " failed 0");
	}
}
