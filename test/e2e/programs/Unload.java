// SPDX-License-Identifier: Apache-2.0
// Unload.java MS ROUNDS: loads a class with another name of its method each time, runs that and unloads the class.
// Writes each method's name, and how many of these classes are gone.
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

public class Unload {
	static class Shape {
		static volatile int answer;

		static void work0000(double ms) {
			int sum = answer;

			for (long end = System.nanoTime() + (long) (ms * 1e6); System.nanoTime() < end;)
				for (int i = 0; i < 2000; i++)
					sum = (sum + i) % 1000003;
			answer = sum;
		}
	}

	static class Loader extends ClassLoader {
		Loader() {
			super(null);
		}

		Class<?> define(byte[] code) {
			return defineClass("Unload$Shape", code, 0, code.length);
		}
	}

	static WeakReference<Class<?>> run(String code, String name, double ms) throws Exception {
		Class<?> shape = new Loader().define(code.replace("work0000", name).getBytes(StandardCharsets.ISO_8859_1));
		java.lang.reflect.Method method = shape.getDeclaredMethod(name, double.class);

		method.setAccessible(true);
		method.invoke(null, ms);
		return new WeakReference<>(shape);
	}

	public static void main(String[] args) throws Exception {
		List<WeakReference<Class<?>>> shapes = new ArrayList<>();
		String code;
		int gone = 0;

		try (InputStream in = Unload.class.getResourceAsStream("Unload$Shape.class")) {
			code = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
		}
		for (int i = 0; i < Integer.parseInt(args[1]); i++) {
			shapes.add(run(code, String.format("work%04d", i + 1), Double.parseDouble(args[0])));
			System.gc();
		}
		for (WeakReference<Class<?>> shape : shapes)
			gone += shape.get() == null ? 1 : 0;
		System.out.println("gone " + gone);
	}
}
