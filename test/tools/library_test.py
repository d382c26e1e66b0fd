# SPDX-License-Identifier: Apache-2.0
"""library_test.py BUILD SOURCE: libinftrace as programs meet it: what it exports, the layout of its structs, its header
in C11 and C++17, the examples with and without the recorder. INFTRACE_BLESS=1 writes library_abi.txt anew."""

import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop()).resolve()
BUILD = pathlib.Path(sys.argv.pop()).resolve()
ABI = SOURCE / "test/tools/library_abi.txt"
LIBRARY = BUILD / "libinftrace.so.0"
WARNINGS = ("-Wall", "-Wextra", "-pedantic", "-Werror", "-Wshadow", "-Wconversion")
USES = """#include <inftrace.h>
#ifndef INFTRACE_DISABLE
#include <inftrace_profile.h>
#endif
int main(void)
{
	const struct inftrace_name *name = inftrace_intern("one");
	INFTRACE_SCOPE("block");
	INFTRACE_SLICE(name);
	inftrace_begin(name);
	inftrace_instant(name);
	inftrace_counter(name, 1);
	inftrace_flow(1);
	inftrace_flow_end(1);
	inftrace_end();
	inftrace_end_failed("why");
	return inftrace_is_on() || !inftrace_version();
}
"""


def compilers(*names):
    return [name for name in names if shutil.which(name)]


class Library(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)

    def run_(self, *args, **more):
        done = subprocess.run([str(arg) for arg in args], capture_output=True, text=True, cwd=self.folder, **more)
        self.assertEqual(done.returncode, 0, f"{args}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def run_sanitized(self, *args):
        """The agent is not built with the sanitizer, which does not see its locks: reports of its own thread, which
        has no standard error, do not count. Older sanitizers do not run where memory is placed too much at random."""
        suppressions = self.write("suppressions", "called_from_lib:libinftrace-agent.so\n")
        env = dict(os.environ, TSAN_OPTIONS=f"suppressions={suppressions} exitcode=0")
        done = subprocess.run([str(arg) for arg in args], capture_output=True, text=True, cwd=self.folder, env=env)
        if "unexpected memory mapping" in done.stderr:
            self.skipTest("thread sanitizer does not run on this kernel: vm.mmap_rnd_bits is too large")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("WARNING", done.stderr)
        return done.stdout

    def compile(self, compiler, source, *options, name="program", link=True):
        library = ["-L", BUILD, "-l:libinftrace.so.0", f"-Wl,-rpath,{BUILD}", "-pthread"] if link else []
        self.run_(compiler, *WARNINGS, *options, "-I", SOURCE / "include", source, "-o", name, *library)
        return self.folder / name

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    # ---- the binary interface

    def exported(self):
        lines = self.run_("nm", "-D", "--defined-only", "--with-symbol-versions", LIBRARY).splitlines()
        symbols = sorted(line.split()[-1].replace("@@", "@") for line in lines if line.split()[-2] != "A")
        sizes = self.run_("readelf", "--dyn-syms", "-W", LIBRARY)
        on = re.search(r"(\d+) OBJECT .* inftrace_on@", sizes)[1]
        return [*symbols, f"inftrace_on: {on} bytes"]

    def layout(self):
        """Of each struct of the headers: its size, and the place of each member."""
        text = "".join(path.read_text() for path in sorted((SOURCE / "include").glob("*.h")))
        prints = []
        for name, body in re.findall(r"^struct (\w+) \{(.*?)^\};", text, re.M | re.S):
            prints.append(f'printf("struct {name}: %zu bytes\\n", sizeof(struct {name}));')
            for member in re.findall(r"(\w+);", re.sub(r"/\*.*?\*/", "", body, flags=re.S)):
                prints.append(f'printf("  {member} at %zu\\n", offsetof(struct {name}, {member}));')
        for name in re.findall(r"^\t(INFTRACE_\w+) = \d+", text, re.M):
            prints.append(f'printf("{name} %d\\n", {name});')
        source = self.write(
            "layout.c", "#include <inftrace_profile.h>\n#include <stdio.h>\nint main(void){%s}" % "".join(prints)
        )
        return self.run_(self.compile("gcc", source, "-std=c11", name="layout")).splitlines()

    def test_the_binary_interface_is_the_one_that_was_released(self):
        text = "\n".join([*self.exported(), *self.layout()]) + "\n"
        if os.environ.get("INFTRACE_BLESS"):
            ABI.write_text(text)
        self.assertEqual(text, ABI.read_text(), "a program that was built before would break")

    def test_the_soname_has_the_major_version(self):
        self.assertIn("[libinftrace.so.0]", self.run_("readelf", "-d", LIBRARY))
        major = re.search(r"VERSION_MAJOR (\d+)", (SOURCE / "include/inftrace.h").read_text())[1]
        self.assertEqual(major, "0")

    def test_versions_are_those_of_the_project(self):
        text = (SOURCE / "include/inftrace.h").read_text()
        header = ".".join(re.search(rf"VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))
        project = json.loads((BUILD / "meson-info/intro-projectinfo.json").read_text())["version"]
        self.assertEqual(header, project)
        self.assertEqual(text.count(f'"{header}"'), 2)

    def test_it_imports_nothing_that_prints_or_ends_the_program(self):
        imported = set(re.findall(r"U (\w+)", self.run_("nm", "-D", "--undefined-only", LIBRARY)))
        self.assertFalse(
            imported & {"printf", "puts", "sigaction", "signal", "exit", "_exit", "abort", "__assert_fail", "fork"}
        )

    def test_pkg_config_has_what_a_program_needs(self):
        flags = self.run_(
            "pkg-config",
            "--cflags",
            "--libs",
            "inftrace",
            env=dict(os.environ, PKG_CONFIG_PATH=str(BUILD / "meson-private")),
        )
        self.assertIn("-linftrace", flags)
        self.assertIn("-I", flags)

    # ---- the header

    def test_the_header_is_clean_in_c_and_cpp(self):
        c, cpp = self.write("uses.c", USES), self.write("uses.cpp", USES)
        for standard in ("c11", "c17"):
            for compiler in compilers("gcc", "clang"):
                self.run_(self.compile(compiler, c, f"-std={standard}"))
        for compiler in compilers("g++", "clang++"):
            self.run_(self.compile(compiler, cpp, "-std=c++17"))

    def test_compiled_out_it_is_nothing(self):
        c, cpp = self.write("out.c", USES), self.write("out.cpp", USES)
        for compiler, source in [(one, c) for one in compilers("gcc", "clang")] + [
            (one, cpp) for one in compilers("g++", "clang++")
        ]:
            program = self.compile(compiler, source, "-O1", "-DINFTRACE_DISABLE", link=False)
            self.run_(program)
            code = self.run_("objdump", "-d", "--disassemble=main", program)
            self.assertNotIn("call", code)
            self.assertNotIn("inftrace", self.run_("nm", "-u", program))

    def test_off_it_is_one_load_and_a_branch(self):
        source = self.write(
            "off.c", "#include <inftrace.h>\nvoid mark(const struct inftrace_name *n){inftrace_instant(n);}"
        )
        self.run_("gcc", "-O2", "-fno-pie", "-fcf-protection=none", "-I", SOURCE / "include", "-c", source)
        lines = self.run_("objdump", "-d", "--no-show-raw-insn", "off.o").partition("<mark>:\n")[2].splitlines()
        code = [line.split("\t")[1].split()[0] for line in lines if "\t" in line]
        way = code[: code.index("ret") + 1]
        self.assertLessEqual(len(way), 4, lines)
        self.assertTrue(any(step.startswith("j") for step in way), lines)

    # ---- programs

    def example(self, name, compiler, standard):
        return self.compile(
            compiler, SOURCE / "examples" / name, "-Wno-conversion", standard, name=name.replace(".", "-")
        )

    def recorded(self, program):
        """The slices of a recording, as Chrome's trace."""
        trace, recording = self.folder / "trace.json", self.folder / "recording.pftrace"
        out = self.run_(BUILD / "inftrace", "record", "--force", "-o", recording, "--", program)
        self.run_(BUILD / "inftrace", "export", recording, "--to", "chrome", "--force", "-o", trace)
        return out, json.loads(trace.read_text()), recording

    def count(self, events, name, phase="BX"):
        return sum(event["name"] == name and event["ph"] in phase for event in events if "name" in event)

    def test_the_example_in_c(self):
        for compiler in compilers("gcc", "clang"):
            program = self.example("annotate.c", compiler, "-std=c11")
            plain = self.run_(program)
            self.assertRegex(plain, r"^[\d.]+, not recorded\n$")
            out, events, recording = self.recorded(program)
            self.assertEqual(out, plain.replace("not recorded", "recorded"))
        self.assertEqual(
            [self.count(events, name) for name in ("digits:main", "conv_1", "request", "preprocess")], [100] * 4
        )
        self.assertEqual(self.count(events, "annotations: requests waiting", "C"), 100)
        self.assertEqual(self.count(events, "rejected", "iI"), 1)
        report = self.run_(BUILD / "inftrace", "report", recording, "--format", "json")
        model = json.loads(report)["models"][0]
        self.assertEqual(model["name"], "digits")
        self.assertIn("the input is empty", report)

    def test_the_example_in_cpp(self):
        for compiler in compilers("g++", "clang++"):
            program = self.example("annotate.cpp", compiler, "-std=c++17")
            plain = self.run_(program)
            self.assertRegex(plain, r", 1 failed\n$")
            out, events, _ = self.recorded(program)
            self.assertEqual(out, plain)
        self.assertEqual([self.count(events, name) for name in ("request", "answer")], [10, 10])
        flows = [event for event in events if event.get("name") == "flow" and event["ph"] == "i"]
        begun = {event["args"]["flow"]: event["ts"] for event in flows if "flow" in event["args"]}
        ended = {event["args"]["flow_end"]: event["ts"] for event in flows if "flow_end" in event["args"]}
        self.assertEqual(len(begun), 10)
        self.assertEqual(begun.keys(), ended.keys())
        self.assertTrue(all(begun[number] < ended[number] for number in begun))

    def test_the_first_lines_of_the_guide(self):
        text = (SOURCE / "doc/library.md").read_text().partition("```c\n")[2].partition("```")[0]
        program = self.compile("gcc", self.write("guide.c", text), "-std=c11", "-Wno-conversion", name="guide")
        _, events, _ = self.recorded(program)
        self.assertEqual(self.count(events, "request"), 100)
        self.assertEqual(self.count(events, "annotations: waiting", "C"), 100)

    def test_the_handle_of_the_guide_compiles(self):
        text = (
            (SOURCE / "doc/library.md")
            .read_text()
            .partition("## Handles")[2]
            .partition("```c\n")[2]
            .partition("```")[0]
        )
        source = self.write("handle.c", text + "int main(void)\n{\n\treturn profile_resnet();\n}\n")
        self.run_(self.compile("gcc", source, "-std=c11", "-Wno-unused-parameter", name="handle"))

    def test_the_example_of_handles(self):
        for compiler in compilers("gcc", "clang"):
            program = self.example("profile.c", compiler, "-std=c11")
            lines = self.run_(program).splitlines()
            self.assertEqual(lines[0], "10 inferences of digits:")
            self.assertEqual([line.split(",")[0].strip() for line in lines[6:16]], [str(n) for n in range(10)])

    def test_the_example_of_handles_in_cpp(self):
        """Stages of an inference fill columns, and the table is one that inftrace imports."""
        for compiler in compilers("g++", "clang++"):
            text = self.run_(self.example("profile.cpp", compiler, "-std=c++17"))
            rows = list(csv.DictReader(text.splitlines()[4:], skipinitialspace=True))
            self.assertEqual([row["Sample"] for row in rows], [str(n) for n in range(20)])
            for row in rows:
                self.assertEqual([row[name] for name in ("enqTimeUs", "submitTimeUs", "exectoVcUs")], ["N/A"] * 3)
                stages = [float(row[name]) for name in ("preProcTimeUs", "execTotalUs", "postProcUs")]
                self.assertAlmostEqual(sum(stages), float(row["totalRoundtripTimeUs"]), delta=0.01)
                device = float(row["devExecUs"])
                self.assertLess(device, stages[1])
                self.assertAlmostEqual(float(row["devInfPerSec"]) * device / 1e6, 1, delta=0.01)
        table, recording = self.write("latency.txt", text), self.folder / "latency.pftrace"
        self.run_(BUILD / "inftrace", "import", table, "-o", recording)
        report = json.loads(self.run_(BUILD / "inftrace", "report", recording, "--format", "json"))
        self.assertEqual(report["models"][0]["inferences"]["count"], 20)

    def test_misuse_has_the_documented_result(self):
        source = SOURCE / "test/tools/library_misuse.c"
        program = self.compile("gcc", source, "-std=gnu11", "-D_GNU_SOURCE", "-Wno-conversion", name="misuse")
        self.assertEqual(self.run_(program), (SOURCE / "test/tools/library_misuse.txt").read_text())

    def test_patterns_need_their_library_and_a_child_may_have_handles_of_its_own(self):
        """-ENOTSUP with a word for people; and no -ECHILD where the parent has never started a handle."""
        source = self.write(
            "alone.c",
            """#include <errno.h>
#include <inftrace_profile.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void report(void *ctx, const struct inftrace_report *report)
{
	(void)ctx;
	(void)report;
}
int main(void)
{
	struct inftrace_stream_opts opts = { .size = sizeof opts, .rate_ms = 500, .report = report, .models = "a" };
	struct inftrace_profile *profile;
	int code = inftrace_profile_stream(&opts, &profile), status;
	pid_t child;

	printf("%d %d\\n", code == -ENOTSUP, strstr(inftrace_profile_message(), "libpcre2-8") != NULL);
	fflush(stdout);
	child = fork();
	if (!child) {
		opts.models = NULL;
		if (inftrace_profile_stream(&opts, &profile) || inftrace_profile_start(profile))
			_exit(1);
		code = inftrace_profile_stop(profile);
		inftrace_profile_close(profile);
		_exit(code != 0);
	}
	waitpid(child, &status, 0);
	return status;
}
""",
        )
        program = self.compile("gcc", source, "-std=gnu11", "-D_GNU_SOURCE", name="alone")
        broken = self.folder / "broken"
        broken.mkdir()
        (broken / "libpcre2-8.so.0").write_text("this is no library\n" * 10)
        env = dict(os.environ, LD_LIBRARY_PATH=str(broken))
        self.assertEqual(self.run_(program, env=env), "1 1\n")

    def test_callbacks_come_one_at_a_time_and_a_thousand_of_them_wait(self):
        """In a setuid program a handle does not start, whatever the environment says."""
        source = SOURCE / "test/tools/library_callbacks.c"
        program = self.compile("gcc", source, "-std=gnu11", "-D_GNU_SOURCE", "-Wno-conversion", name="callbacks")
        said = self.run_(program).splitlines()
        self.assertEqual(
            said[:2], ["waiting: 1000 reports of 1000 samples, 0 lost", "the next one: 1 samples, 50 lost"]
        )
        turns = [f"handle {number}: every sample, 0 out of order, 0 refused" for number in (1, 2, 3)]
        self.assertEqual(said[2:], [*turns, "0 at the same time, 0 with open signals"])
        if os.getuid():
            self.skipTest("only root can make a setuid program of another user")
        self.folder.chmod(0o755)
        program.chmod(0o4755)
        preload = str(BUILD / "libinftrace-agent.so")
        for more in ({}, {"INFTRACE_DIR": str(self.folder), "LD_PRELOAD": preload, "INFTRACE_LEVEL": "operator"}):
            said = self.run_(program, user=65534, group=65534, env={**os.environ, **more})
            self.assertRegex(said, "^1, the program is setuid")
        self.assertEqual(list(self.folder.glob("*.segment")), [])

    def test_no_callback_runs_beside_destructors(self):
        source = self.write(
            "exits.c",
            """#include <inftrace_profile.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int is_gone, n_reports;
static void report(void *ctx, const struct inftrace_report *report)
{
	(void)ctx, (void)report;
	__atomic_fetch_add(&n_reports, 1, __ATOMIC_RELAXED);
	usleep(2000);
	if (__atomic_load_n(&is_gone, __ATOMIC_ACQUIRE))
		_exit(9);
}
static void destroy(void)
{
	__atomic_store_n(&is_gone, 1, __ATOMIC_RELEASE);
	usleep(20000);
}
int main(void)
{
	struct inftrace_stream_opts opts = { .size = sizeof opts, .rate_ms = 1, .report = report };
	struct inftrace_profile *profile;
	atexit(destroy);
	if (inftrace_profile_stream(&opts, &profile) || inftrace_profile_add(profile, "none"))
		return 1;
	if (inftrace_profile_start(profile))
		return 2;
	while (__atomic_load_n(&n_reports, __ATOMIC_RELAXED) < 3)
		usleep(500);
	return 0;
}
""",
        )
        program = self.compile("gcc", source, "-std=gnu11", "-D_GNU_SOURCE", name="exits")
        for _ in range(5):
            self.run_(program)
        disabled = subprocess.run([program], env=dict(os.environ, INFTRACE_DISABLE="1"))
        self.assertEqual(disabled.returncode, 2)

    def test_32_threads_while_agents_come_and_go(self):
        """Under thread sanitizer, with calls that count instead of an agent."""
        source = self.write(
            "threads.c",
            """#include <pthread.h>
#include <stdio.h>
#include "event/port.h"
#include "inftrace.h"
struct port *inftrace_port(void);
static long n_begun, n_ended;
static void begin(struct port_name *name) { __atomic_fetch_add(&n_begun, name->name[0] == 'n', __ATOMIC_RELAXED); }
static void end(const char *message) { (void)message; __atomic_fetch_add(&n_ended, 1, __ATOMIC_RELAXED); }
static void instant(struct port_name *name) { (void)name; }
static void counter(struct port_name *name, double value) { (void)name, (void)value; }
static void flow(uint64_t id, bool is_end) { (void)id, (void)is_end; }
static const struct port_calls calls = { sizeof calls, begin, end, instant, counter, flow };
static void *work(void *arg)
{
	char text[16];
	for (int i = 0; i < 5000; i++) {
		const struct inftrace_name *name;
		snprintf(text, sizeof text, "n%d", (int)(((long)arg + i) % 300));
		name = inftrace_intern(text);
		if (!name || name != inftrace_intern(text))
			puts("another name");
		INFTRACE_SLICE(name);
		INFTRACE_SCOPE("n");
		inftrace_instant(name);
		inftrace_counter(name, i);
		inftrace_flow((uint64_t)i);
	}
	return NULL;
}
int main(void)
{
	pthread_t thread[32];
	struct port *port = inftrace_port();
	for (long i = 0; i < 32; i++)
		pthread_create(&thread[i], NULL, work, (void *)i);
	for (int i = 0; i < 1000; i++) {
		__atomic_store_n(&port->calls, &calls, __ATOMIC_RELEASE);
		__atomic_store_n(port->on, (uint32_t)(i + 1) & 1, __ATOMIC_SEQ_CST);
		sched_yield();
	}
	__atomic_store_n(port->on, 1, __ATOMIC_SEQ_CST);
	for (int i = 0; i < 32; i++)
		pthread_join(thread[i], NULL);
	puts(n_begun ? "done" : "nothing");
	return 0;
}
""",
        )
        library = [SOURCE / "src/library" / name for name in ("annotate.c", "intern.c", "join.c")]
        options = [
            "-g",
            "-O1",
            "-D_GNU_SOURCE",
            '-DINFTRACE_VERSION="0"',
            "-I",
            SOURCE / "include",
            "-I",
            SOURCE / "src",
        ]
        program = self.folder / "threads"
        self.run_("gcc", "-fsanitize=thread", *options, source, *library, "-o", program, "-ldl", "-pthread")
        self.assertEqual(self.run_sanitized(program), "done\n")

    def test_32_threads_start_and_stop_handles(self):
        """Under thread sanitizer, with the agent: the library is built anew, the agent is the one of the build."""
        targets = json.loads((BUILD / "meson-info/intro-targets.json").read_text())
        library = next(target for target in targets if target["name"] == "libinftrace")
        sources = [source for part in library["target_sources"] for source in part.get("sources", [])]
        shutil.copy(BUILD / "libinftrace-agent.so", self.folder)
        options = ["-fsanitize=thread", "-g", "-O1", "-D_GNU_SOURCE", '-DINFTRACE_VERSION="0"']
        options += ["-I", SOURCE / "include", "-I", SOURCE / "src"]
        script = f"-Wl,-soname,libinftrace.so.0,--version-script={SOURCE}/src/library/library.map"
        self.run_(
            "gcc", *options, "-shared", "-fPIC", *sources, script, "-o", "libinftrace.so.0", "-ldl", "-lm", "-pthread"
        )
        here = ["-L.", "-l:libinftrace.so.0", f"-Wl,-rpath,{self.folder}", "-pthread"]
        self.run_("gcc", *options, SOURCE / "test/tools/library_stress.c", "-o", "stress", *here)
        self.assertEqual(self.run_sanitized("./stress", os.environ.get("INFTRACE_STRESS_MS", "2000")), "done\n")

    def test_a_library_that_is_opened_and_closed_again_is_found(self):
        source = self.write(
            "opened.c",
            """#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	for (int i = 0; i < 3; i++) {
		void *library = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
		const void *(*intern)(const char *);
		void (*instant)(const void *);
		*(void **)&intern = dlsym(library, "inftrace_intern");
		*(void **)&instant = dlsym(library, "inftrace_instant_on");
		instant(intern("opened"));
		printf("%u\\n", *(unsigned *)dlsym(library, "inftrace_on"));
		dlclose(library);
	}
}
""",
        )
        program = self.folder / "opened"
        self.run_("gcc", source, "-o", program, "-ldl")
        self.assertEqual(self.run_(program, LIBRARY), "0\n" * 3)
        recording, trace = self.folder / "opened.pftrace", self.folder / "opened.json"
        out = self.run_(BUILD / "inftrace", "record", "--force", "-o", recording, "--", program, LIBRARY)
        self.assertEqual(out, "1\n" * 3)
        self.run_(BUILD / "inftrace", "export", recording, "--to", "chrome", "-o", trace)
        self.assertEqual(self.count(json.loads(trace.read_text()), "opened", "iI"), 3)


unittest.main()
