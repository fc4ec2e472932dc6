/**
 * The seccomp program (classic BPF) that filters the system calls of a command in the sandbox. bubblewrap loads it
 * before the command starts, and nothing can remove it. Undefined for an unknown processor.
 *
 * The program checks the architecture of a call, then its number, then, for a few calls, arguments. It sees only
 * numbers, never what a pointer leads to. Forbidden calls fail with EPERM. Calls that it cannot inspect fail with
 * ENOSYS, as on an older kernel, so that programs fall back to an older call. So do all calls newer than this file.
 *
 * It also keeps access times honest: whatever reads a file leaves its time there, which `file-watch.ts` looks at.
 *
 * The numbers are those of Linux 6.18: `arch/x86/entry/syscalls/syscall_64.tbl` for x64,
 * `include/uapi/asm-generic/unistd.h` for arm64. Flags and families:
 * `include/uapi/linux/{audit,seccomp,sched,bpf_common,fs,btrfs}.h`, `include/uapi/asm-generic/fcntl.h`,
 * `include/linux/socket.h`.
 */
export function seccompFilter(processor: string): Uint8Array | undefined {
  const own = processors.find(({ name }) => name === processor);
  if (own === undefined) return undefined;
  return assemble([
    load(places.processor),
    [jumps.equal, 1, 0, own.audit],
    // Code for another architecture, such as 32-bit: there, the numbers mean other calls.
    killProcess,
    load(places.call),
    // Includes the calls of x32, which begin at 2³⁰.
    ...when(jumps.above, newest, [unknown]),
    ...rules.flatMap((rule) => {
      const number = rule[own.column];
      return number === undefined ? [] : when(jumps.equal, number, rule.body);
    }),
    allow,
  ]);
}

const processors = [
  { name: 'x64', audit: 0xc000003e, column: 'x64' },
  { name: 'arm64', audit: 0xc00000b7, column: 'arm64' },
] as const;

/** The newest call that this file considers. */
const newest = 469;

// BPF: an instruction is an operation, how many instructions to skip if it holds and if not, and a value.
type Instruction = readonly [operation: number, ifTrue: number, ifFalse: number, value: number];

const jumps = { equal: 0x15, above: 0x25, anyBit: 0x45 } as const;

/** Offsets in `seccomp_data`. Arguments have 64 bits, of which the calls below read only the lower half. */
const places = { call: 0, processor: 4, argument: (index: number) => 16 + 8 * index } as const;

const allow = answer(0x7fff0000);
const refuse = answer(0x00050000 + 1);
const unknown = answer(0x00050000 + 38);
/** EOPNOTSUPP, as where the file system cannot do it. */
const unsupported = answer(0x00050000 + 95);
const killProcess = answer(0x80000000);

function answer(value: number): Instruction {
  return [0x06, 0, 0, value];
}

function load(place: number): Instruction {
  return [0x20, 0, 0, place];
}

/** Runs the body if the condition holds, and skips it if not. */
function when(operation: number, value: number, body: readonly Instruction[]): readonly Instruction[] {
  return [[operation, 0, body.length, value], ...body];
}

function refuseBits(argument: number, bits: number): readonly Instruction[] {
  return [load(places.argument(argument)), ...when(jumps.anyBit, bits, [refuse])];
}

/** The same for a mode, which counts only if the flags create a file. */
function refuseBitsOfNew(flags: number, mode: number): readonly Instruction[] {
  return [load(places.argument(flags)), ...when(jumps.anyBit, makesFile, refuseBits(mode, setuidOrSetgid))];
}

/** Refuses all other values. Only the bits of the mask count. */
function refuseOthers(argument: number, values: readonly number[], mask = 0xffffffff): readonly Instruction[] {
  const chain = values.map((value, index): Instruction => [jumps.equal, values.length - index, 0, value]);
  return [load(places.argument(argument)), [0x54, 0, 0, mask], ...chain, refuse];
}

function assemble(program: readonly Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(program.length * 8));
  for (const [index, [operation, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.setUint16(index * 8, operation, true);
    bytes.setUint8(index * 8 + 2, ifTrue);
    bytes.setUint8(index * 8 + 3, ifFalse);
    bytes.setUint32(index * 8 + 4, value, true);
  }
  return new Uint8Array(bytes.buffer);
}

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const newNamespaces = 0x7e020000;
/** CLONE_NEWTIME. In the flags of `clone`, this bit is part of a signal number. */
const newTime = 0x80;
/** O_CREAT, and what O_TMPFILE adds to O_DIRECTORY. */
const makesFile = 0o100 | 0o20000000;
/** O_NOATIME: the access time stays as it was. */
const readsUntraced = 0o1000000;
const setFlags = 4;
const setuid = 0o4000;
const setuidOrSetgid = 0o6000;
const families = { unix: 1, inet: 2, inet6: 10, netlink: 16 } as const;
/** SOCK_STREAM, SOCK_SEQPACKET, and the mask for them in a type. */
const connected = [1, 5] as const;
const kindOfSocket = 0xf;
const ioctls = { TIOCSTI: 0x5412, TIOCLINUX: 0x541c } as const;
/** The requests of a kind have it in their second byte: FICLONE, FICLONERANGE, FIDEDUPERANGE and those of btrfs. */
const kindOfRequest = { mask: 0xff00, clones: 0x9400 } as const;
/** FS_IOC_SETFLAGS, in 64 and 32 bits, and FS_IOC_FSSETXATTR: they make a file that records no access. */
const fileFlags = [0x40086602, 0x40046602, 0x401c5820] as const;

/** `calls`: name, number on x64, and number on arm64 or `-`. */
function rulesFor(calls: string, ...body: readonly Instruction[]) {
  return calls.split(/,\s+/).map((call) => {
    const [, x64, arm64] = call.split(' ');
    return { x64: Number(x64), arm64: arm64 === '-' ? undefined : Number(arm64), body };
  });
}

/** Frequent calls come first. */
const rules = [
  // No setuid or setgid files: everyone could run them with our rights.
  ...rulesFor('openat 257 56', ...refuseBits(2, readsUntraced), ...refuseBitsOfNew(2, 3), allow),
  ...rulesFor('open 2 -', ...refuseBits(1, readsUntraced), ...refuseBitsOfNew(1, 2), allow),
  ...rulesFor(
    'fcntl 72 25',
    load(places.argument(1)),
    ...when(jumps.equal, setFlags, refuseBits(2, readsUntraced)),
    allow,
  ),
  ...rulesFor('creat 85 -, mknod 133 -', ...refuseBits(1, setuidOrSetgid), allow),
  ...rulesFor('mknodat 259 33', ...refuseBits(2, setuidOrSetgid), allow),
  // A folder may have the setgid bit, which means something else there.
  ...rulesFor('fchmodat 268 53, fchmodat2 452 452', ...refuseBits(2, setuid), allow),
  ...rulesFor('chmod 90 -, fchmod 91 52', ...refuseBits(1, setuid), allow),
  // No input is injected into a terminal.
  ...rulesFor(
    'ioctl 16 29',
    load(places.argument(1)),
    ...when(jumps.equal, ioctls.TIOCSTI, [refuse]),
    ...when(jumps.equal, ioctls.TIOCLINUX, [refuse]),
    ...fileFlags.flatMap((request) => when(jumps.equal, request, [unsupported])),
    // A clone shares the blocks of a file: its content is read without a trace.
    [0x54, 0, 0, kindOfRequest.mask],
    ...when(jumps.equal, kindOfRequest.clones, [unsupported]),
    allow,
  ),
  ...rulesFor('clone 56 220', ...refuseBits(0, newNamespaces), allow),
  ...rulesFor('unshare 272 97', ...refuseBits(0, newNamespaces | newTime), allow),
  // The sandbox has its own network, but a Unix socket leads out of it.
  ...rulesFor('socket 41 198', ...refuseOthers(0, [families.inet, families.inet6, families.netlink]), allow),
  // Programs talk to their children through these. A datagram socket could send to any socket file.
  ...rulesFor(
    'socketpair 53 199',
    ...refuseOthers(0, [families.unix]),
    ...refuseOthers(1, connected, kindOfSocket),
    allow,
  ),
  // Their flags are behind a pointer.
  ...rulesFor('clone3 435 435, openat2 437 437', unknown),
  // They clone a file where the file system can, or set its flags. Without them, programs copy what they read.
  ...rulesFor('copy_file_range 326 285, file_setattr 469 469', unknown),
  // They give other views of the machine.
  ...rulesFor(
    `mount 165 40, umount2 166 39, pivot_root 155 41, chroot 161 51, setns 308 268, open_tree 428 428,
    move_mount 429 429, fsopen 430 430, fsconfig 431 431, fsmount 432 432, fspick 433 433,
    mount_setattr 442 442, open_tree_attr 467 467, open_by_handle_at 304 265`,
    refuse,
  ),
  // They make calls that bypass this filter.
  ...rulesFor('io_uring_setup 425 425, io_uring_enter 426 426, io_uring_register 427 427', refuse),
  // Keys belong to the user, inside and outside the sandbox.
  ...rulesFor('add_key 248 217, request_key 249 218, keyctl 250 219', refuse),
  // They inspect the kernel, or help to win a race in it.
  ...rulesFor('bpf 321 280, perf_event_open 298 241, userfaultfd 323 282, modify_ldt 154 -', refuse),
  // They change the machine itself: only root may, and nobody in a sandbox.
  ...rulesFor(
    `init_module 175 105, finit_module 313 273, delete_module 176 106, kexec_load 246 104,
    kexec_file_load 320 294, reboot 169 142, acct 163 89, quotactl 179 60, quotactl_fd 443 443,
    swapon 167 224, swapoff 168 225, iopl 172 -, ioperm 173 -`,
    refuse,
  ),
];
