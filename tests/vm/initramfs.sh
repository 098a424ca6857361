# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by run.sh: the guest's initramfs.

# module_order KERNEL-DIRECTORY NAME...: paths of the modules and what they need, needed first.
module_order() {
	python3 - "$@" <<'EOF'
import sys, pathlib
base = next((pathlib.Path(sys.argv[1]) / "lib/modules").iterdir())
needs = dict(line.split(":", 1) for line in (base / "modules.dep").read_text().splitlines())
paths = {pathlib.Path(p).name.split(".ko")[0].replace("-", "_"): p for p in needs}
built_in = (base / "modules.builtin").read_text().replace("-", "_")
order = []
def add(path):
    for needed in reversed(needs[path].split()):
        if needed not in order:
            add(needed)
    if path not in order:
        order.append(path)
for name in sys.argv[2:]:
    if name in paths:
        add(paths[name])
    elif f"/{name}.ko" not in built_in:
        sys.exit(f"vm: the kernel has no module {name}")
print("\n".join(str((base / p).relative_to(base)) for p in order))
EOF
}

# make_initramfs KERNEL-DIRECTORY FILE
make_initramfs() {
	_root=$work/initramfs
	_modules=$(echo "$1"/lib/modules/*)
	rm -rf "$_root"
	mkdir -p "$_root/bin" "$_root/modules"
	cp "$(command -v busybox)" "$_root/bin/busybox" || return 1
	cp "$here/guest.sh" "$_root/guest.sh"
	cp "$here/init.sh" "$_root/init"
	chmod 755 "$_root/init"
	echo "$1" >"$_root/kernel-directory"
	module_order "$1" virtio_pci 9pnet_virtio 9p overlay >"$work/order" || return 1
	while read -r _path; do
		cp "$_modules/$_path" "$_root/modules/" || return 1
		basename "$_path" >>"$_root/modules/order"
	done <"$work/order"
	python3 "$here/in-memory.py" "$top" "$build" >"$work/in-memory" || return 1
	(cd / && cpio -p -d -m --quiet "$_root/fast" <"$work/in-memory") || return 1
	(cd "$_root" && find . | cpio -o -H newc --quiet) >"$2"
}
