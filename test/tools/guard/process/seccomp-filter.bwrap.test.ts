import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { realSandbox, type SandboxSetting, sandboxSetting } from './sandbox-setting.ts';

/** With the filter, and with one that allows all. */
async function settings(allowedDomains: readonly string[] = []): Promise<readonly [SandboxSetting, SandboxSetting]> {
  const sandbox = await realSandbox();
  const open = { ...sandbox, programs: { ...sandbox.programs, filter: Uint8Array.of(6, 0, 0, 0, 0, 0, 0xff, 0x7f) } };
  return [await sandboxSetting({ allowedDomains }), await sandboxSetting({ sandbox: open, allowedDomains })];
}

/** What the kernel answers to each of these calls: the number of the error, or 0. */
async function answersTo({ run }: SandboxSetting, calls: readonly Call[]): Promise<Readonly<Record<string, number>>> {
  const lines = calls.flatMap(({ name, numbers, args = '0, 0, 0, 0' }) => {
    const number = numbers[process.arch === 'arm64' ? 1 : 0];
    return number === undefined
      ? []
      : [`$! = 0; my $path = "$ENV{TMPDIR}/${name}"; syscall(${number}, ${args}); print "${name} ", $! + 0, "\\n";`];
  });
  const { stdout, stderr } = await run(`perl -e '${lines.join('\n')}'`);
  if (stderr !== '') throw new Error(stderr);
  return Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' '))
      .map(([name, error]) => [name, Number(error)]),
  );
}

interface Call {
  readonly name: string;
  readonly numbers: readonly [x64: number | undefined, arm64: number | undefined];
  /** In Perl. */
  readonly args?: string;
}

const perm = 1;
const noSuchCall = 38;

/** Calls that anybody may make: without a filter, the kernel answers something else. */
const calls: readonly Call[] = [
  { name: 'add_key', numbers: [248, 217] },
  { name: 'request_key', numbers: [249, 218] },
  { name: 'keyctl', numbers: [250, 219] },
  { name: 'perf_event_open', numbers: [298, 241] },
  { name: 'open_tree', numbers: [428, 428] },
  { name: 'userfaultfd', numbers: [323, 282], args: '1' },
  { name: 'modify_ldt', numbers: [154, undefined] },
  { name: 'unshare', numbers: [272, 97], args: '0x10000000' },
  { name: 'ioctl', numbers: [16, 29], args: '99, 0x5412, 0' },
  { name: 'socket_unix', numbers: [41, 198], args: '1, 1, 0' },
  { name: 'socket_alg', numbers: [41, 198], args: '38, 5, 0' },
  { name: 'socket_vsock', numbers: [41, 198], args: '40, 1, 0' },
  { name: 'socketpair_datagram', numbers: [53, 199], args: '1, 2, 0, 0' },
  { name: 'openat', numbers: [257, 56], args: '-100, $path, 0101, 04755' },
  { name: 'openat_setgid', numbers: [257, 56], args: '-100, $path, 0101, 02755' },
  { name: 'openat_noatime', numbers: [257, 56], args: '-100, $path, 01000101, 0600' },
  { name: 'fcntl_noatime', numbers: [72, 25], args: '99, 4, 01000000' },
  { name: 'open', numbers: [2, undefined], args: '$path, 0101, 04755' },
  { name: 'creat', numbers: [85, undefined], args: '$path, 04755' },
  { name: 'mknodat', numbers: [259, 33], args: '-100, $path, 0104755, 0' },
  { name: 'mknod', numbers: [133, undefined], args: '$path, 0104755, 0' },
  { name: 'chmod', numbers: [90, undefined], args: '$path, 04755' },
  { name: 'fchmod', numbers: [91, 52], args: '99, 04755' },
  { name: 'fchmodat', numbers: [268, 53], args: '-100, $path, 04755' },
];

/** Their arguments are out of sight, or they are not known here: they count as calls that the kernel does not have. */
const unseen: readonly Call[] = [
  { name: 'clone3', numbers: [435, 435] },
  { name: 'openat2', numbers: [437, 437] },
  { name: 'copy_file_range', numbers: [326, 285], args: '99, 0, 99, 0, 1, 0' },
  { name: 'x32', numbers: [0x40000000 + 39, undefined] },
];

test.each([{ allowedDomains: [] }, { allowedDomains: ['example.com'] }])(
  'the kernel refuses these calls to a command that may reach $allowedDomains',
  async ({ allowedDomains }) => {
    const [setting, open] = await settings(allowedDomains);
    const asked = await answersTo(setting, [...calls, ...unseen]);
    const refused = Object.keys(asked).filter((name) => !unseen.some((call) => call.name === name));
    expect(asked).toEqual({
      ...Object.fromEntries(Object.keys(asked).map((name) => [name, noSuchCall])),
      ...Object.fromEntries(refused.map((name) => [name, perm])),
    });
    const unfiltered = await answersTo(open, [...calls, ...unseen.slice(0, 3)]);
    const same = Object.keys(unfiltered).filter((name) => unfiltered[name] === asked[name]);
    expect(same).toEqual([]);
  },
);

test('a program that makes 32-bit system calls is killed', async () => {
  const [setting, open] = await settings();
  // An ELF file of 64 bits: mov $1, %eax; mov $7, %ebx; int $0x80, which is exit(7).
  const code = [0xb8, 1, 0, 0, 0, 0xbb, 7, 0, 0, 0, 0xcd, 0x80];
  const file = Buffer.alloc(120 + code.length);
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  file.writeUInt32LE(0x003e0002, 16);
  file.writeUInt32LE(1, 20);
  file.writeUInt32LE(0x400078, 24);
  file.writeUInt32LE(64, 32);
  file.set([64, 0, 56, 0, 1, 0], 52);
  file.set([1, 0, 0, 0, 5], 64);
  file.writeUInt32LE(0x400000, 80);
  file.writeUInt32LE(0x400000, 88);
  file.writeUInt32LE(file.length, 96);
  file.writeUInt32LE(file.length, 104);
  file.set(code, 120);
  for (const { workspace } of [setting, open]) await writeFile(join(workspace, 'old'), file, { mode: 0o755 });
  // On an arm64 machine, and on a kernel without these calls, it does not run at all.
  expect((await setting.run('./old')).exitCode).not.toBe(7);
  expect([7, 126, 139]).toContain((await open.run('./old')).exitCode);
});

test('a file of the workspace never gets the setuid bit, not even for an instant, and the other bits are set as usual', async () => {
  const { run, workspace } = await sandboxSetting();
  const { stdout, stderr } = await run(
    [
      'cp /bin/true a && chmod 755 a && cp a b',
      'chmod u+s a; chmod 6755 a; install -m 4755 /bin/true c; perl -e "chmod 04755, q(a)"',
      `node -e 'require("fs").writeFileSync("d", "", { mode: 0o4755 })'`,
      'chmod 640 b; mkdir e; chmod 2775 e; chmod +t e; stat -c "%n %a" *',
    ].join('\n'),
  );
  expect(stdout).toBe('a 755\nb 640\nc 600\ne 3775\n');
  expect(stderr).toContain('Operation not permitted');
  for (const name of await readdir(workspace)) expect((await stat(join(workspace, name))).mode & 0o4000).toBe(0);
});

test('programs can talk to their children through socket pairs', async () => {
  const { run } = await sandboxSetting();
  const child = `require("child_process").spawnSync("cat", { input: "from a child\\n" }).stdout.toString()`;
  expect(await run(`node -e 'process.stdout.write(${child})'`)).toMatchObject({ stdout: 'from a child\n', stderr: '' });
});

test('a command has only its three standard descriptors', async () => {
  for (const allowedDomains of [[], ['example.com']]) {
    const { run } = await sandboxSetting({ allowedDomains });
    expect((await run('for each in 3 4 5 6 7 8 9; do ls -l /proc/$$/fd/$each; done')).stdout).toBe('');
  }
});

test('a command sees its own processes and, with a network, the relay, which it cannot inspect', async () => {
  const look = `echo $$; for each in /proc/[0-9]*; do cat $each/comm; done; readlink /proc/self/exe`;
  const [id = '', ...names] = (await (await sandboxSetting()).run(look)).stdout.trim().split('\n');
  expect(Number(id)).toBeLessThan(10);
  expect(names).toEqual(['bwrap', 'sh', expect.stringMatching(/readlink|coreutils|busybox/)]);
  const { run } = await sandboxSetting({ allowedDomains: ['example.com'] });
  // 1 is the bubblewrap, 2 the relay. 16 is PTRACE_ATTACH.
  const attach = process.arch === 'arm64' ? 117 : 101;
  const { stdout } = await run(
    `cat /proc/2/comm; for each in 1 2; do cat /proc/$each/environ; ls /proc/$each/root/ /proc/$each/cwd/; perl -e '$! = 0; syscall(${attach}, 16, '$each', 0, 0); print "$!\n"'; done 2>/dev/null`,
  );
  expect(stdout).toBe('socat\nOperation not permitted\nOperation not permitted\n');
});
