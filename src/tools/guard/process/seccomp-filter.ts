/**
 * What a command in the sandbox may not ask of the kernel, as a program for the kernel's own small machine (seccomp, classic BPF).
 * bubblewrap loads it before the command starts, and nothing takes it off again. Undefined for a processor that it does not know.
 *
 * The program looks at the processor whose calls are made, then at the number of the call, then, for a few calls, at arguments.
 * It sees numbers only, never what a pointer leads to. What it refuses fails with EPERM. What it cannot see through fails with
 * ENOSYS, as on an older kernel: programs then use the older call. So does each call that is newer than this file.
 *
 * The numbers are those of Linux 6.18: `arch/x86/entry/syscalls/syscall_64.tbl` for x64, `include/uapi/asm-generic/unistd.h` for
 * arm64. Flags and families: `include/uapi/linux/{audit,seccomp,sched,bpf_common}.h`, `include/uapi/asm-generic/fcntl.h`,
 * `include/linux/socket.h`.
 */
export function seccompFilter(processor: string): Uint8Array | undefined {
  const own = processors.find(({ name }) => name === processor);
  if (own === undefined) return undefined;
  const rules = [
    ...checked.map(({ call, body }) => ({ call, body: [...body, allow] })),
    ...Object.values(unseen).map((call) => ({ call, body: [unknown] })),
    ...refused.map((call) => ({ call, body: [refuse] })),
  ];
  return assemble([
    load(places.processor),
    jumpIf(jumps.equal, own.audit, 1, 0),
    // A program of another kind, as one of 32 bits: there, the numbers mean other calls.
    killProcess,
    load(places.call),
    // Those of x32 are among them: they begin at 2³⁰.
    ...when(jumps.above, newest, [unknown]),
    ...rules.flatMap(({ call, body }) => {
      const number = call[own.column];
      return number === undefined ? [] : when(jumps.equal, number, body);
    }),
    allow,
  ]);
}

const processors = [
  { name: 'x64', audit: 0xc000003e, column: 0 },
  { name: 'arm64', audit: 0xc00000b7, column: 1 },
] as const;

/** The newest call that was looked at for this file. */
const newest = 469;

/** The number of a call. Some are on x64 alone. */
type Call = readonly [x64: number, arm64: number | undefined];

const calls = {
  openat: [257, 56],
  open: [2, undefined],
  creat: [85, undefined],
  mknodat: [259, 33],
  mknod: [133, undefined],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  chmod: [90, undefined],
  fchmod: [91, 52],
  ioctl: [16, 29],
  clone: [56, 220],
  unshare: [272, 97],
  socket: [41, 198],
  socketpair: [53, 199],
} as const;

/** What they are asked is behind a pointer. */
const unseen: Readonly<Record<string, Call>> = {
  clone3: [435, 435],
  openat2: [437, 437],
};

/** The calls that are refused, each with its number on x64, and on arm64 if it is there. */
const refused: readonly Call[] = [
  // Other views of the machine.
  ...table(`mount 165 40, umount2 166 39, pivot_root 155 41, chroot 161 51, setns 308 268, open_tree 428 428,
    move_mount 429 429, fsopen 430 430, fsconfig 431 431, fsmount 432 432, fspick 433 433,
    mount_setattr 442 442, open_tree_attr 467 467, open_by_handle_at 304 265`),
  // They make other calls, past this filter.
  ...table(`io_uring_setup 425 425, io_uring_enter 426 426, io_uring_register 427 427`),
  // Keys belong to the user, in a sandbox or not.
  ...table(`add_key 248 217, request_key 249 218, keyctl 250 219`),
  // Ways to look into the kernel, or to win a race in it.
  ...table(`bpf 321 280, perf_event_open 298 241, userfaultfd 323 282, modify_ldt 154 -`),
  // The machine itself: root alone may, and nobody in a sandbox.
  ...table(`init_module 175 105, finit_module 313 273, delete_module 176 106, kexec_load 246 104,
    kexec_file_load 320 294, reboot 169 142, acct 163 89, quotactl 179 60, quotactl_fd 443 443,
    swapon 167 224, swapoff 168 225, iopl 172 -, ioperm 173 -`),
];

function table(text: string): readonly Call[] {
  return text.split(/,\s+/).map((line) => {
    const [, x64, arm64] = line.split(' ');
    return [Number(x64), arm64 === '-' ? undefined : Number(arm64)];
  });
}

// The machine: an instruction is an operation, how many instructions to leave out if it holds and if not, and a value.
type Instruction = readonly [operation: number, ifTrue: number, ifFalse: number, value: number];

const jumps = { equal: 0x15, above: 0x25, anyBit: 0x45 } as const;

/** Where the kernel lays what it is asked. Arguments have 64 bits, and the calls below read the lower half alone. */
const places = { call: 0, processor: 4, argument: (index: number) => 16 + 8 * index } as const;

const allow = answer(0x7fff0000);
const refuse = answer(0x00050000 + 1);
const unknown = answer(0x00050000 + 38);
const killProcess = answer(0x80000000);

function answer(value: number): Instruction {
  return [0x06, 0, 0, value];
}

function load(place: number): Instruction {
  return [0x20, 0, 0, place];
}

function keepBits(mask: number): Instruction {
  return [0x54, 0, 0, mask];
}

function jumpIf(operation: number, value: number, ifTrue: number, ifFalse: number): Instruction {
  return [operation, ifTrue, ifFalse, value];
}

/** Goes through the body if it holds, and on behind it if not. */
function when(operation: number, value: number, body: readonly Instruction[]): readonly Instruction[] {
  return [jumpIf(operation, value, 0, body.length), ...body];
}

function refuseBits(argument: number, bits: number): readonly Instruction[] {
  return [load(places.argument(argument)), ...when(jumps.anyBit, bits, [refuse])];
}

function refuseValues(argument: number, values: readonly number[]): readonly Instruction[] {
  return [load(places.argument(argument)), ...values.flatMap((value) => when(jumps.equal, value, [refuse]))];
}

/** Refuses all but these values, of which only the bits of the mask count. */
function refuseOthers(argument: number, values: readonly number[], mask = 0xffffffff): readonly Instruction[] {
  const chain = values.map((value, index) => jumpIf(jumps.equal, value, values.length - index, 0));
  return [load(places.argument(argument)), keepBits(mask), ...chain, refuse];
}

/** Refuses these bits in a mode, which counts only where the flags say that a file is made. */
function refuseBitsOfNew(flags: number, mode: number, bits: number): readonly Instruction[] {
  return [load(places.argument(flags)), ...when(jumps.anyBit, makesFile, refuseBits(mode, bits))];
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
/** CLONE_NEWTIME. In the flags of `clone` the same bit is a part of a signal's number. */
const newTime = 0x80;
/** O_CREAT, and what O_TMPFILE adds to O_DIRECTORY. */
const makesFile = 0o100 | 0o20000000;
const setuid = 0o4000;
const setuidOrSetgid = 0o6000;
const families = { unix: 1, inet: 2, inet6: 10, netlink: 16 } as const;
/** SOCK_STREAM, SOCK_SEQPACKET, and where in a type they stand. */
const connected = [1, 5] as const;
const kindOfSocket = 0xf;
const ioctls = { TIOCSTI: 0x5412, TIOCLINUX: 0x541c } as const;

/** Calls of which only some are refused. What is asked often stands first. */
const checked: readonly { readonly call: Call; readonly body: readonly Instruction[] }[] = [
  // No file that runs with the rights of our user or group, no matter who starts it.
  { call: calls.openat, body: refuseBitsOfNew(2, 3, setuidOrSetgid) },
  { call: calls.open, body: refuseBitsOfNew(1, 2, setuidOrSetgid) },
  { call: calls.creat, body: refuseBits(1, setuidOrSetgid) },
  { call: calls.mknodat, body: refuseBits(2, setuidOrSetgid) },
  { call: calls.mknod, body: refuseBits(1, setuidOrSetgid) },
  // A folder may have the setgid bit, which then means something else.
  { call: calls.fchmodat, body: refuseBits(2, setuid) },
  { call: calls.fchmodat2, body: refuseBits(2, setuid) },
  { call: calls.chmod, body: refuseBits(1, setuid) },
  { call: calls.fchmod, body: refuseBits(1, setuid) },
  // Nothing is typed into a terminal.
  { call: calls.ioctl, body: refuseValues(1, [ioctls.TIOCSTI, ioctls.TIOCLINUX]) },
  { call: calls.clone, body: refuseBits(0, newNamespaces) },
  { call: calls.unshare, body: refuseBits(0, newNamespaces | newTime) },
  // The network is one of its own, but a socket that is a file leads out of it.
  { call: calls.socket, body: refuseOthers(0, [families.inet, families.inet6, families.netlink]) },
  // What programs talk through with their children. One for datagrams could send to any socket that is a file.
  {
    call: calls.socketpair,
    body: [...refuseOthers(0, [families.unix]), ...refuseOthers(1, connected, kindOfSocket)],
  },
];
