import { describe, expect, test } from 'vitest';
import { seccompFilter } from '../../../../src/tools/guard/process/seccomp-filter.ts';

type Answer = 'allowed' | 'EPERM' | 'ENOSYS' | 'EOPNOTSUPP' | 'killed';

interface Call {
  readonly audit: number;
  readonly number: number;
  readonly args?: readonly (number | bigint)[];
}

/** Does what the kernel does with a filter, as `include/uapi/linux/bpf_common.h` and `seccomp.h` say. */
function run(filter: Uint8Array, { audit, number, args = [] }: Call): Answer {
  const program = new DataView(filter.buffer, filter.byteOffset, filter.byteLength);
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, number, true);
  data.setUint32(4, audit, true);
  for (const [index, arg] of args.entries()) data.setBigUint64(16 + 8 * index, BigInt.asUintN(64, BigInt(arg)), true);
  let accumulator = 0;
  let at = 0;
  while (at * 8 < filter.length) {
    const operation = program.getUint16(at * 8, true);
    const value = program.getUint32(at * 8 + 4, true);
    const jump = (holds: boolean): number => program.getUint8(at * 8 + (holds ? 2 : 3));
    switch (operation) {
      case 0x20:
        accumulator = data.getUint32(value, true);
        break;
      case 0x54:
        accumulator = (accumulator & value) >>> 0;
        break;
      case 0x15:
        at += jump(accumulator === value);
        break;
      case 0x25:
        at += jump(accumulator > value);
        break;
      case 0x45:
        at += jump((accumulator & value) !== 0);
        break;
      case 0x06:
        return answers.get(value) ?? expect.fail(`an answer that has no name: ${value.toString(16)}`);
      default:
        expect.fail(`an operation that has no name: ${operation.toString(16)}`);
    }
    at += 1;
  }
  return expect.fail('no answer');
}

const answers = new Map<number, Answer>([
  [0x7fff0000, 'allowed'],
  [0x00050001, 'EPERM'],
  [0x00050026, 'ENOSYS'],
  [0x0005005f, 'EOPNOTSUPP'],
  [0x80000000, 'killed'],
]);

/** The numbers as `unistd.h` of each has them. */
const machines = [
  {
    name: 'x64',
    audit: 0xc000003e,
    other: [0x40000003, 0xc00000b7, 0],
    // pivot_root, chroot, acct, mount, umount2, swapon, swapoff, reboot, modify_ldt, iopl, ioperm, (init, delete)_module, quotactl,
    // kexec_load, add_key, request_key, keyctl, perf_event_open, open_by_handle_at, setns, finit_module, kexec_file_load, bpf, userfaultfd
    refused: [
      ...[155, 161, 163, 165, 166, 167, 168, 169, 154, 172, 173, 175, 176, 179],
      ...[246, 248, 249, 250, 298, 304, 308, 313, 320, 321, 323],
    ],
    openat: 257,
    mknodat: 259,
    fchmodat: 268,
    fchmod: 91,
    fcntl: 72,
    copyFileRange: 326,
    clone: 56,
    unshare: 272,
    ioctl: 16,
    socket: 41,
    socketpair: 53,
    /** Path, flags and mode; path and mode. */
    old: { open: [2], chmod: [90], create: [85, 133] },
    plain: { read: 0, execve: 59, connect: 42, ptrace: 101, prctl: 157, mkdirat: 258 },
  },
  {
    name: 'arm64',
    audit: 0xc00000b7,
    other: [0x40000028, 0xc000003e, 0],
    refused: [
      ...[41, 51, 89, 40, 39, 224, 225, 142, 105, 106, 60],
      ...[104, 217, 218, 219, 241, 265, 268, 273, 294, 280, 282],
    ],
    openat: 56,
    mknodat: 33,
    fchmodat: 53,
    fchmod: 52,
    fcntl: 25,
    copyFileRange: 285,
    clone: 220,
    unshare: 97,
    ioctl: 29,
    socket: 198,
    socketpair: 199,
    old: { open: [], chmod: [], create: [] },
    plain: { read: 63, execve: 221, connect: 203, ptrace: 117, prctl: 167, mkdirat: 34 },
  },
] as const;

/** io_uring, the mounts of Linux 5.2 and later, quotactl_fd. */
const refusedEverywhere = [425, 426, 427, 428, 429, 430, 431, 432, 433, 442, 443, 467];

describe.each(machines)('on $name, the filter', (machine) => {
  const filter = seccompFilter(machine.name) ?? expect.fail('there is none');
  const ask = (number: number, ...args: readonly (number | bigint)[]): Answer =>
    run(filter, { audit: machine.audit, number, args });

  test('refuses these calls with any arguments, and no others', () => {
    const numbers = Array.from({ length: 470 }, (_, number) => number);
    const looked: readonly number[] = [machine.socket, machine.socketpair];
    expect(numbers.filter((number) => ask(number) === 'EPERM' && !looked.includes(number))).toEqual(
      [...machine.refused, ...refusedEverywhere].sort((one, other) => one - other),
    );
    expect(numbers.filter((number) => ask(number) === 'ENOSYS')).toEqual([machine.copyFileRange, ...[435, 437, 469]]);
    expect(Object.values(machine.plain).map((number) => ask(number))).toEqual(Array(6).fill('allowed'));
  });

  test('treats newer calls, and those of x32, as unknown', () => {
    for (const number of [470, 512, 0x40000000, 0x40000000 + machine.openat, 0x7fffffff, 0xffffffff]) {
      expect(ask(number)).toBe('ENOSYS');
    }
  });

  test('kills a program that makes calls of another architecture', () => {
    for (const audit of machine.other) expect(run(filter, { audit, number: machine.plain.read })).toBe('killed');
  });

  test('refuses each new namespace, also together with other flags', () => {
    const kinds = [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000];
    for (const kind of kinds) {
      for (const flags of [kind, kind | 17, kind | 0x100]) expect(ask(machine.clone, flags >>> 0)).toBe('EPERM');
      expect(ask(machine.unshare, kind)).toBe('EPERM');
    }
    expect(ask(machine.unshare, 0x80)).toBe('EPERM');
    // A thread, a child, and open files of one's own.
    for (const flags of [0x3d0f00, 0x1200011, 17, 0x4111]) expect(ask(machine.clone, flags)).toBe('allowed');
    for (const flags of [0x200, 0x400]) expect(ask(machine.unshare, flags)).toBe('allowed');
  });

  test('refuses sockets outside the network, and reads no more of a register than the kernel does', () => {
    for (const family of [2, 10, 16, 2n ** 32n + 2n]) expect(ask(machine.socket, family, 1)).toBe('allowed');
    for (const family of [0, 1, 2n ** 32n + 1n, 3, 17, 29, 38, 40, 44, -1]) {
      expect(ask(machine.socket, family, 1)).toBe('EPERM');
    }
    // SOCK_STREAM and SOCK_SEQPACKET, also with SOCK_CLOEXEC and SOCK_NONBLOCK. SOCK_RAW is taken for SOCK_DGRAM.
    for (const kind of [1, 5, 1 | 0x80000 | 0x800]) expect(ask(machine.socketpair, 1, kind)).toBe('allowed');
    for (const kind of [2, 3, 2 | 0x80000, 0]) expect(ask(machine.socketpair, 1, kind)).toBe('EPERM');
    expect(ask(machine.socketpair, 30, 1)).toBe('EPERM');
  });

  test('refuses to read without leaving an access time, and no other flag', () => {
    for (const flags of [0o1000000, 0o1000000 | 0o2000000, 0o1000102]) {
      expect(ask(machine.openat, -100, 1, flags, 0)).toBe('EPERM');
      for (const number of machine.old.open) expect(ask(number, 1, flags, 0)).toBe('EPERM');
      expect(ask(machine.fcntl, 3, 4, flags)).toBe('EPERM');
    }
    // F_DUPFD, F_GETFL and F_SETFL with O_NONBLOCK.
    const calls = [
      [0, 0o1000000],
      [3, 0o1000000],
      [4, 0o4000],
    ] as const;
    for (const [command, value] of calls) expect(ask(machine.fcntl, 3, command, value)).toBe('allowed');
  });

  test('has no clones of files, and no files that record no access, as on file systems without them', () => {
    const clones = [0x40049409, 0x4020940d, 0xc0189436, 0x50009401, 0x50009417, 2n ** 32n + 0x40049409n];
    for (const request of [...clones, 0x40086602, 0x40046602, 0x401c5820])
      expect(ask(machine.ioctl, 3, request)).toBe('EOPNOTSUPP');
    // FIGETBSZ, FS_IOC_GETFLAGS, FS_IOC_FIEMAP.
    for (const request of [2, 0x80086601, 0xc020660b]) expect(ask(machine.ioctl, 3, request)).toBe('allowed');
  });

  test('refuses to inject input into a terminal, and no other request', () => {
    for (const request of [0x5412, 0x541c, 2n ** 32n + 0x5412n]) expect(ask(machine.ioctl, 0, request)).toBe('EPERM');
    for (const request of [0x5401, 0x5413, 0x5421]) expect(ask(machine.ioctl, 0, request)).toBe('allowed');
  });

  test('refuses files with the setuid bit', () => {
    const { old } = machine;
    const changes = [
      ...[machine.fchmodat, 452].map((number) => (mode: number) => ask(number, -100, 1, mode)),
      ...[machine.fchmod, ...old.chmod].map((number) => (mode: number) => ask(number, 1, mode)),
    ];
    for (const change of changes) {
      expect([0o4755, 0o6755, 0o4000].map(change)).toEqual(Array(3).fill('EPERM'));
      expect([0o755, 0o1777, 0o2775].map(change)).toEqual(Array(3).fill('allowed'));
    }
    const makings = [
      (mode: number) => ask(machine.mknodat, -100, 1, mode),
      ...old.create.map((number) => (mode: number) => ask(number, 1, mode)),
      ...[0o100, 0o1102, 0o20200002].flatMap((flags) => [
        (mode: number) => ask(machine.openat, -100, 1, flags, mode),
        ...old.open.map((number) => (mode: number) => ask(number, 1, flags, mode)),
      ]),
    ];
    for (const make of makings) {
      expect([0o4755, 0o2755, 0o104644].map(make)).toEqual(Array(3).fill('EPERM'));
      expect([0o755, 0o100644, 0o1777].map(make)).toEqual(Array(3).fill('allowed'));
    }
    // Where no file is made, there is no mode, and the register has something else.
    for (const flags of [0, 2, 0o2000000, 0o200000]) {
      expect(ask(machine.openat, -100, 1, flags, 0o7777)).toBe('allowed');
      for (const number of old.open) expect(ask(number, 1, flags, 0o7777)).toBe('allowed');
    }
  });
});

test('there is no system call filter for other processors', () => {
  for (const name of ['ia32', 'riscv64', '']) expect(seccompFilter(name)).toBeUndefined();
});
