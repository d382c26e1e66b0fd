// SPDX-License-Identifier: Apache-2.0
// Work.java MS ROUNDS: work of known length in known methods and lines. Writes how long each took, by its name.
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

public class Work {
	interface Call {
		void run(double ms) throws Exception;
	}

	static class Größe {
		final int step;

		Größe(int step) {
			this.step = step;
		}

		int next(int value) {
			return (value + step) % 1000003; // the line of next
		}

		void messen(double ms) {
			spin(ms); // the line of messen
		}
	}

	static volatile int answer;
	static final Größe größe = new Größe(7);
	static final Object lock = new Object();

	static void spin(double ms) {
		int sum = answer;

		for (long end = System.nanoTime() + (long) (ms * 1e6); System.nanoTime() < end;)
			for (int i = 0; i < 2000; i++)
				sum = größe.next(sum + i); // the line of spin
		answer = sum;
	}

	static void deep(int n, double ms) {
		if (n > 0)
			deep(n - 1, ms); // the line of deep
		else
			spin(ms);
	}

	static void text(double ms) {
		for (long end = System.nanoTime() + (long) (ms * 1e6); System.nanoTime() < end;)
			answer += IntStream.range(0, 500).mapToObj(Integer::toString).collect(Collectors.joining()).length(); // the line of text
	}

	static void fails(double ms) {
		for (long end = System.nanoTime() + (long) (ms * 1e6); System.nanoTime() < end;)
			try {
				Integer.parseInt("x" + answer); // the line of fails
			} catch (NumberFormatException e) {
				answer++;
			}
	}

	static void sleeps(double ms) throws Exception {
		Thread.sleep((long) ms); // the line of sleeps
	}

	static void waits(double ms) throws Exception {
		synchronized (lock) {
			lock.wait((long) ms); // the line of waits
		}
	}

	static void parks(double ms) {
		for (long end = System.nanoTime() + (long) (ms * 1e6), left; (left = end - System.nanoTime()) > 0;)
			LockSupport.parkNanos(left); // the line of parks
	}

	static void naps(double ms) throws Exception {
		new ProcessBuilder("sleep", Double.toString(ms / 1e3)).start().waitFor(); // the line of naps
	}

	static void joins(double ms) throws Exception {
		Thread thread = new Thread(() -> spin(ms)); // the line of inThread
		thread.start();
		thread.join(); // the line of joins
	}

	static synchronized void locked(double ms) {
		spin(ms); // the line of locked
	}

	public static void main(String[] args) throws Exception {
		Map<String, Call> calls = new LinkedHashMap<>();
		Map<String, Double> took = new LinkedHashMap<>();
		StringBuilder line = new StringBuilder();

		calls.put("messen", ms -> größe.messen(ms));
		calls.put("deep", ms -> deep(12, ms));
		calls.put("text", Work::text);
		calls.put("fails", Work::fails);
		calls.put("sleeps", Work::sleeps);
		calls.put("waits", Work::waits);
		calls.put("parks", Work::parks);
		calls.put("naps", Work::naps);
		calls.put("joins", Work::joins);
		calls.put("locked", Work::locked);
		for (int i = 0; i < Integer.parseInt(args[1]); i++)
			for (Map.Entry<String, Call> call : calls.entrySet()) {
				long began = System.nanoTime();
				call.getValue().run(Double.parseDouble(args[0]));
				took.merge(call.getKey(), (System.nanoTime() - began) / 1e6, Double::sum);
			}
		for (Map.Entry<String, Double> one : took.entrySet())
			line.append(line.length() > 0 ? ", " : "").append('"').append(one.getKey()).append("\": ").append(one.getValue());
		System.out.println("{" + line + "}");
	}
}
