#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_devices.py: writes the trees amd-gpu, amd-container, intel-pc, boards and closed beside itself, at t0 and a
second later at t1.

README.md names the sources of their contents. One program (2000) and its child (2001) have the devices open."""

import os
import shutil

HERE = os.path.dirname(os.path.abspath(__file__))
STAT = "%d (%s) S %d 2000 2000 0 -1 4194304 500 0 0 0 2 1 0 0 20 0 1 0 %d 250000000 900 0 1 1 0 0 0 0 0 0 0 0 0 17 2 0 0 0 0 0\n"


class Tree:
    def __init__(self, machine, moment):
        self.root = os.path.join(HERE, machine, moment)
        self.put("proc/uptime", "5000.00 19000.00\n")
        self.process(2000, 900, "python3", [2001])
        self.process(2001, 2000, "worker", [])

    def put(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write("%s\n" % text if not isinstance(text, str) else text)

    def process(self, pid, parent, name, children):
        self.put("proc/%d/stat" % pid, STAT % (pid, name, parent, 100000 + pid))
        self.put("proc/%d/cmdline" % pid, name + "\0")
        self.put("proc/%d/task/%d/children" % (pid, pid), "".join("%d " % child for child in children))
        self.open(pid, 0, "/dev/null", "pos:\t0\nflags:\t02\n")

    def open(self, pid, fd, path, fdinfo):
        link = os.path.join(self.root, "proc/%d/fd/%d" % (pid, fd))
        os.makedirs(os.path.dirname(link), exist_ok=True)
        os.symlink(path, link)
        self.put("proc/%d/fdinfo/%d" % (pid, fd), fdinfo)

    def device(self, folder, uevent, nodes, files):
        subsystem = folder.split("/")[-2]
        self.put("%s/device/uevent" % folder, "".join("%s=%s\n" % pair for pair in uevent))
        for node in nodes:
            self.put("%s/device/%s/%s/uevent" % (folder, subsystem, node), "DEVNAME=%s\n" % node)
            self.put("dev/%s/%s" % ("dri" if subsystem == "drm" else "accel", node), "")
        for name, value in files.items():
            self.put("%s/%s" % (folder, name), "%s\n" % value)


def fdinfo(driver, client, pci, *lines):
    head = [
        "pos:\t0",
        "flags:\t02100002",
        "mnt_id:\t26",
        "ino:\t1033",
        "drm-driver:\t%s" % driver,
        "drm-client-id:\t%d" % client,
    ]
    return "".join("%s\n" % line for line in head + (["drm-pdev:\t%s" % pci] if pci else []) + list(lines))


def amd_gpu(moment):
    tree, late = Tree("amd-gpu", moment), moment != "t0"
    tree.device("sys/class/drm/card0", [("DRIVER", "ast"), ("PCI_SLOT_NAME", "0000:c1:00.0")], ["card0"], {})
    tree.put("sys/class/drm/card1-DP-1/status", "disconnected\n")
    tree.device(
        "sys/class/drm/card1",
        [("DRIVER", "amdgpu"), ("PCI_CLASS", "30000"), ("PCI_ID", "1002:744C"), ("PCI_SLOT_NAME", "0000:03:00.0")],
        ["card1", "renderD128"],
        {
            "device/gpu_busy_percent": 97 if late else 40,
            "device/mem_busy_percent": 33 if late else 10,
            "device/mem_info_vram_used": 3 << 30 if late else 2 << 30,
            "device/mem_info_vram_total": 24 << 30,
            "device/mem_info_gtt_used": 64 << 20,
            "device/hwmon/hwmon4/name": "amdgpu",
            "device/hwmon/hwmon4/power1_average": 301000000 if late else 55000000,
            "device/hwmon/hwmon4/temp1_input": 62000 if late else 45000,
            "device/hwmon/hwmon4/freq1_input": 2400000000 if late else 500000000,
            "device/hwmon/hwmon4/freq2_input": 1249000000,
        },
    )
    os.makedirs(os.path.join(tree.root, "proc/self/ns"))
    os.symlink("pid:[4026531836]", os.path.join(tree.root, "proc/self/ns/pid"))
    kfd = "sys/class/kfd/kfd/"
    for node, gpu_id, minor in ((0, 0, 0), (1, 54321, 130), (2, 30381, 128)):
        tree.put(kfd + "topology/nodes/%d/gpu_id" % node, "%d\n" % gpu_id)
        tree.put(
            kfd + "topology/nodes/%d/properties" % node,
            "cpu_cores_count 0\nsimd_count 384\nlocation_id 768\ndomain 0\ndrm_render_minor %d\nhive_id 0\n" % minor,
        )
    tree.put(kfd + "proc/2000/pasid", "32770\n")
    tree.put(kfd + "proc/2000/vram_30381", "%d\n" % (7 << 30 if late else 0))
    tree.put(kfd + "proc/2000/vram_54321", "4096\n")
    tree.put(kfd + "proc/2000/stats_30381/cu_occupancy", "%d\n" % (48 if late else 0))
    first = fdinfo(
        "amdgpu",
        41,
        "0000:03:00.0",
        "pasid:\t32770",
        "drm-memory-vram:\t%d KiB" % (2 << 20 if late else 1 << 20),
        "drm-memory-gtt: \t2048 KiB",
        "drm-memory-cpu: \t0 KiB",
        "amd-memory-visible-vram:\t256 KiB",
        "drm-engine-compute:\t%d ns" % (5600000000 if late else 5000000000),
    )
    second = ["drm-memory-vram:\t1024 KiB", "drm-engine-dma:\t%d ns" % (150000000 if late else 100000000)]
    second = fdinfo("amdgpu", 42, "0000:03:00.0", *second + ["drm-engine-compute:\t100000000 ns"] * late)
    if moment != "handed":
        tree.open(2000, 5, "/dev/dri/renderD128", first)
        tree.open(2000, 6, "/dev/dri/renderD128", first)
        tree.open(2000, 7, "/dev/dri/renderD128", second)
    tree.open(2001, 5, "/dev/dri/renderD128", first)
    if late:
        tree.open(2001, 9, "/dev/dri/card1", fdinfo("amdgpu", 43, "0000:03:00.0", "drm-engine-compute:\t200000000 ns"))


def amd_container(moment):
    """A program that computes with ROCm on an older kernel, in a container: only its open files show it."""
    tree = Tree("amd-container", moment)
    tree.device(
        "sys/class/drm/card1",
        [("DRIVER", "amdgpu"), ("PCI_SLOT_NAME", "0000:03:00.0")],
        ["card1", "renderD128"],
        {"device/gpu_busy_percent": 88},
    )
    tree.open(2000, 5, "/dev/dri/renderD128", fdinfo("amdgpu", 41, "0000:03:00.0", "drm-memory-vram:\t0 KiB"))
    if moment == "t1":
        tree.open(2000, 6, "/dev/kfd", "pos:\t0\n")


def intel_pc(moment):
    tree, late = Tree("intel-pc", moment), moment == "t1"
    tree.device(
        "sys/class/drm/card0",
        [("DRIVER", "i915"), ("PCI_ID", "8086:7D55"), ("PCI_SLOT_NAME", "0000:00:02.0")],
        ["card0", "renderD128"],
        {
            "gt/gt0/rc6_residency_ms": 100300 if late else 100000,
            "gt/gt0/rps_act_freq_mhz": 1300 if late else 0,
            "gt_act_freq_mhz": 7777,
            "power/rc6_residency_ms": 1,
        },
    )
    tree.device(
        "sys/class/drm/card1",
        [("DRIVER", "xe"), ("PCI_ID", "8086:E20B"), ("PCI_SLOT_NAME", "0000:03:00.0")],
        ["card1", "renderD129"],
        {
            "device/tile0/gt0/gtidle/idle_residency_ms": 5100 if late else 5000,
            "device/tile0/gt0/freq0/act_freq": 2850,
            "device/hwmon/hwmon5/name": "xe",
            "device/hwmon/hwmon5/energy1_input": 121000000 if late else 1000000,
            "device/hwmon/hwmon5/energy2_input": 900000000 if late else 1000000,
            "device/hwmon/hwmon5/temp2_input": 61000,
        },
    )
    tree.device(
        "sys/class/accel/accel0",
        [("DRIVER", "intel_vpu"), ("PCI_ID", "8086:7D1D"), ("PCI_SLOT_NAME", "0000:00:0b.0")],
        ["accel0"],
        {
            "device/npu_busy_time_us": 1450000 if late else 1000000,
            "device/npu_memory_utilization": 100 << 20 if late else 50 << 20,
            "device/npu_current_frequency_mhz": 1400 if late else 0,
            "device/npu_max_frequency_mhz": 1400,
            "device/sched_mode": "HW",
        },
    )
    tree.open(
        2000,
        8,
        "/dev/dri/renderD128",
        fdinfo(
            "i915",
            7,
            "0000:00:02.0",
            "drm-total-system0:\t24 MiB",
            "drm-shared-system0:\t0",
            "drm-active-system0:\t0",
            "drm-resident-system0:\t20 MiB",
            "drm-purgeable-system0:\t0",
            "drm-engine-render:\t%d ns" % (812000000 if late else 12000000),
            "drm-engine-copy:\t0 ns",
            "drm-engine-video:\t%d ns" % (200000000 if late else 0),
            "drm-engine-capacity-video:\t2",
            "drm-engine-video-enhance:\t0 ns",
        ),
    )
    tree.open(
        2000,
        9,
        "/dev/dri/renderD129",
        fdinfo(
            "xe",
            3,
            "0000:03:00.0",
            "drm-total-system:\t0",
            "drm-total-vram0:\t2100 MiB",
            "drm-resident-vram0:\t2048 MiB",
            "drm-cycles-rcs:\t0",
            "drm-total-cycles-rcs:\t%d" % (200000 if late else 100000),
            "drm-cycles-ccs:\t%d" % (48000 if late else 1000),
            "drm-total-cycles-ccs:\t%d" % (200000 if late else 100000),
        ),
    )
    tree.open(
        2000,
        10,
        "/dev/accel/accel0",
        fdinfo(
            "intel_vpu",
            2,
            "0000:00:0b.0",
            "drm-total-memory:\t80 MiB",
            "drm-shared-memory:\t0",
            "drm-active-memory:\t4 KiB",
            "drm-resident-memory:\t76 MiB",
            "drm-purgeable-memory:\t0",
        ),
    )


def boards(moment):
    tree, late = Tree("boards", moment), moment == "t1"
    for card, render, profiling in ((0, 128, 0), (1, 129, 1)):
        tree.device(
            "sys/class/drm/card%d" % card,
            [("DRIVER", "panthor"), ("OF_NAME", "gpu")],
            ["card%d" % card, "renderD%d" % render],
            {"device/profiling": profiling, "device/devfreq/fb00000%d.gpu/cur_freq" % card: 1000000000},
        )
    tree.device(
        "sys/class/drm/card2",
        [("DRIVER", "i915"), ("PCI_SLOT_NAME", "0000:00:02.0")],
        ["card2", "renderD130"],
        {"gt/gt0/rps_act_freq_mhz": 300},
    )
    tree.device(
        "sys/class/accel/accel0",
        [("DRIVER", "amdxdna"), ("PCI_ID", "1022:17F0"), ("PCI_SLOT_NAME", "0000:c4:00.1")],
        ["accel0"],
        {"device/hwmon/hwmon7/name": "amdxdna", "device/hwmon/hwmon7/power1_input": 2500000},
    )
    tree.device(
        "sys/class/accel/accel1",
        [("DRIVER", "qaic"), ("PCI_ID", "17CB:A100"), ("PCI_SLOT_NAME", "0000:0d:00.0")],
        ["accel1"],
        {"dbc0_state": 1, "dbc1_state": 0 if late else 1, "dbc2_state": 2},
    )
    memory = [
        "drm-total-memory:\t16480 KiB",
        "drm-shared-memory:\t0",
        "drm-active-memory:\t16200 KiB",
        "drm-resident-memory:\t16480 KiB",
        "drm-purgeable-memory:\t0",
    ]
    tree.open(2000, 4, "/dev/dri/renderD128", fdinfo("panthor", 10, "", "drm-curfreq-panthor:\t1000000000 Hz", *memory))
    tree.open(
        2000,
        5,
        "/dev/dri/renderD129",
        fdinfo(
            "panthor",
            11,
            "",
            "drm-cycles-panthor:\t%d" % (400000000 if late else 100000000),
            "drm-maxfreq-panthor:\t1000000000 Hz",
            "drm-curfreq-panthor:\t1000000000 Hz",
            *memory,
        ),
    )
    tree.open(
        2000,
        6,
        "/dev/accel/accel0",
        fdinfo(
            "amdxdna_accel_driver",
            5,
            "0000:c4:00.1",
            "drm-total-memory:\t64 MiB",
            "drm-resident-memory:\t64 MiB",
            "drm-engine-npu-amdxdna:\t%d ns" % (1250000000 if late else 1000000000),
            "amdxdna-external-alloc:\t0 KiB",
        ),
    )
    tree.open(2000, 7, "/dev/accel/accel1", fdinfo("qaic", 9, "0000:0d:00.0"))
    tree.open(
        2000,
        8,
        "/dev/dri/renderD130",
        fdinfo(
            "i915",
            12,
            "0000:00:02.0",
            "drm-total-system0:\t4 MiB",
            "drm-resident-system0:\t4 MiB",
            "drm-engine-render:\t0 ns",
        ),
    )


def closed():
    """An NPU in /sys of a container, without a device node."""
    tree = Tree("closed", "")
    tree.put("sys/class/accel/accel0/device/uevent", "DRIVER=intel_vpu\n")


shutil.rmtree(os.path.join(HERE, "closed"), ignore_errors=True)
closed()
for make, name in ((amd_gpu, "amd-gpu"), (amd_container, "amd-container"), (intel_pc, "intel-pc"), (boards, "boards")):
    shutil.rmtree(os.path.join(HERE, name), ignore_errors=True)
    make("t0")
    make("t1")
amd_gpu("handed")
