import { once } from 'node:events';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openNetwork } from '../../../../src/lib/network/open-network.ts';
import { proxySettings } from '../../../../src/lib/network/proxy-settings.ts';
import { closeServer, listenOnLoopback } from '../../../support/loopback.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { openProxy } from '../../../support/proxy-server.ts';
import { processesWith, realSandbox, sandboxSetting } from './sandbox-setting.ts';

const secret = 'canary-7f3a9';

describe('a command in the sandbox', () => {
  test('gives its exit code and both outputs separately, and works in its folder, whatever its name', async () => {
    const workspace = join(await newFolder(), `it's "quoted" $HOME; \\ ü `);
    await mkdir(workspace);
    const { run } = await sandboxSetting({ workspace });
    expect(await run('pwd; cat; echo made > file; echo err >&2; exit 3')).toEqual({
      exitCode: 3,
      signal: null,
      stdout: `${workspace}\n`,
      stderr: 'err\n',
      truncated: false,
      timedOut: false,
      refusals: [],
    });
    expect(await readFile(join(workspace, 'file'), 'utf8')).toBe('made\n');
    expect(await readdir(workspace)).toEqual(['file']);
  });

  test('can use git, pipes, a temporary folder and a home of its own, which end with it', async () => {
    const { run, workspace } = await sandboxSetting();
    const first = await run(
      'git init -q . && echo x > "$TMPDIR/left" && echo y > ~/left && cat /tmp/left ~/left | wc -l',
    );
    expect(first).toMatchObject({ exitCode: 0, stdout: '2\n' });
    expect(await readdir(workspace)).toEqual(['.git']);
    expect((await run('ls /tmp/left ~/left')).stdout).toBe('');
  });

  test('sees none of our secrets in its environment', async () => {
    const { run } = await sandboxSetting({ environment: { API_KEY: secret, PASSED: 'yes' } });
    const { stdout } = await run('env; cat /proc/*/environ 2>/dev/null', { passedVariables: ['PASSED'] });
    expect(stdout).toContain('PASSED=yes');
    expect(stdout).not.toContain(secret);
  });
});

describe('what a command may not read', () => {
  test('is the config, its secrets and the data, also through links', async () => {
    const folder = await newFolder();
    const [config, env, data] = [join(folder, 'config.json'), join(folder, '.env'), join(folder, 'data')];
    await mkdir(join(folder, 'data'));
    for (const name of ['config.json', '.env', 'data/keyturn.db', 'other']) await writeFile(join(folder, name), secret);
    const { run, workspace } = await sandboxSetting({ shown: folder, privatePaths: [config, env, data] });
    await symlink(folder, join(workspace, 'link'));
    // What is hidden is no more than that.
    expect((await run('cat link/other')).stdout).toBe(secret);
    const { stdout } = await run('cat link/config.json link/.env link/data/*; ls link/data; cp link/.env e; cat e');
    expect(stdout).toBe('');
  });

  test('is other homes and its own, except folders on the PATH', async () => {
    const home = await newFolder();
    await mkdir(join(home, '.ssh'));
    await mkdir(join(home, '.tools', 'bin'), { recursive: true });
    await writeFile(join(home, '.ssh', 'id_ed25519'), secret);
    await writeFile(join(home, 'diary'), secret);
    await writeFile(join(home, '.tools', 'bin', 'greet'), '#!/bin/sh\necho hello\n', { mode: 0o755 });
    const PATH = `${process.env.PATH}:${join(home, '.tools', 'bin')}:${home}`;
    const { run } = await sandboxSetting({ environment: { HOME: home, PATH } });
    const { stdout } = await run('greet; cat ~/.ssh/id_ed25519 ~/diary; ls -A ~ /root /home');
    expect(stdout).not.toContain(secret);
    expect(stdout).toMatch(/^hello\n/);
    expect(stdout).not.toMatch(/\.ssh|diary/);
  });

  test('is what lies beside the tools on the PATH', async () => {
    const home = await newFolder();
    const tools = ['.tool', 'made/.venv', '.local', 'project', '.cargo'];
    for (const tool of tools) {
      await mkdir(join(home, tool, 'bin'), { recursive: true });
      await writeFile(join(home, tool, 'beside'), `beside ${tool}\n`);
      await writeFile(join(home, tool, 'bin', 'file'), `in ${tool}\n`);
    }
    await writeFile(join(home, '.cargo', 'credentials.toml'), secret);
    const PATH = [process.env.PATH, ...tools.map((tool) => join(home, tool, 'bin'))].join(':');
    const { run } = await sandboxSetting({ environment: { HOME: home, PATH } });
    const { stdout } = await run('cd; for tool in .tool made/.venv .local project .cargo; do cat $tool/bin/file; done');
    expect(stdout.trim().split('\n')).toEqual(tools.map((tool) => `in ${tool}`));
    const beside = await run(
      'cd; cat .tool/beside made/.venv/beside .local/beside project/beside .cargo/credentials.toml',
    );
    expect(beside.stdout).toBe('beside .tool\nbeside made/.venv\n');
  });

  test('is the secrets of a home, even if the workspace is that home', async () => {
    const home = await newFolder();
    await mkdir(join(home, '.ssh'));
    await writeFile(join(home, '.ssh', 'id_ed25519'), secret);
    await writeFile(join(home, '.netrc'), secret);
    const { run } = await sandboxSetting({ workspace: home, environment: { HOME: home } });
    const { stdout } = await run('echo mine > notes; cat notes ~/.netrc ~/.ssh/*');
    expect(stdout).toBe('mine\n');
    expect(await readFile(join(home, 'notes'), 'utf8')).toBe('mine\n');
  });

  test('is a private file whose folder it moves first', async () => {
    const workspace = await newFolder();
    const places = [join(workspace, 'a', 'b', 'config.json'), join(workspace, '.config', 'gh', 'hosts.yml')];
    for (const place of places) {
      await mkdir(join(place, '..'), { recursive: true });
      await writeFile(place, secret);
    }
    const privatePaths = [join(workspace, 'a', 'b', 'config.json')];
    const { run } = await sandboxSetting({ workspace, privatePaths, environment: { HOME: workspace } });
    await run('mv a c; mv a/b a/c; mv .config c; mkdir -p a/b; echo other > a/b/config.json');
    expect((await run('cat */*/config.json */*/*/config.json */gh/* .config/gh/*')).stdout).toBe('');
    for (const place of places) expect(await readFile(place, 'utf8')).toBe(secret);
  });

  test('is the workspaces of other conversations', async () => {
    const root = await newFolder();
    for (const chat of ['ada', 'bob']) {
      await mkdir(join(root, chat));
      await writeFile(join(root, chat, 'file'), chat);
    }
    const { run } = await sandboxSetting({ workspace: join(root, 'ada'), workspaceRoot: root, shown: root });
    expect((await run('ls ..; cat file ../bob/file; echo x > ../bob/new')).stdout).toBe('ada\nada');
    expect(await readdir(join(root, 'bob'))).toEqual(['file']);
  });

  test('is other processes, ours among them', async () => {
    const { run } = await sandboxSetting();
    const { stdout } = await run('cat /proc/$PPID/cmdline /proc/1/cmdline | tr "\\0" " "; ls /proc/$PPID/cwd/');
    expect(stdout).not.toContain('vitest');
    const alive = await run(`kill -0 ${process.pid} || cat /proc/${process.pid}/cmdline`);
    expect(alive).toMatchObject({ stdout: '' });
    expect(alive.exitCode).not.toBe(0);
  });
});

describe('what a command may not change', () => {
  test('is everything but the workspace, also through links, and it is told so', async () => {
    const outside = await newFolder();
    await writeFile(join(outside, 'file'), 'before');
    const { run, workspace } = await sandboxSetting({ shown: outside });
    await symlink(join(outside, 'file'), join(workspace, 'link'));
    const { stderr, refusals } = await run(
      `echo x > link; echo x > ${outside}/new; rm -f ${outside}/file; mv ${outside}/file .; ln -f ${outside}/file hard; chmod 777 ${outside}; true`,
    );
    expect(await readFile(join(outside, 'file'), 'utf8')).toBe('before');
    expect(await readdir(outside)).toEqual(['file']);
    expect(stderr).toContain('Read-only file system');
    expect((await run("grep '^[^ ]* / ' /proc/self/mounts")).stdout).toMatch(/^\S+ \/ \S+ ro,.*\n$/);
    expect(refusals).toEqual([expect.stringContaining('only the workspace and /tmp')]);
  });

  test('is a folder that only looks empty: what it wrote there would be lost', async () => {
    const data = await newFolder();
    const { run } = await sandboxSetting({ shown: data, privatePaths: [data] });
    const { stdout } = await run(
      `for folder in /home /run /var/tmp /dev ${data}; do touch $folder/x && echo lost; done`,
    );
    expect(stdout).toBe('');
  });

  test('is a setting of the kernel, also where root starts it', async () => {
    const { run } = await sandboxSetting();
    const files = 'kernel/core_pattern kernel/modprobe kernel/printk vm/overcommit_memory fs/file-max';
    const { stdout } = await run(
      `for file in ${files}; do (: >> /proc/sys/$file) && echo $file; done 2>/dev/null; echo all`,
    );
    expect(stdout).toBe('all\n');
  });

  test('is its confinement: it gets no mount, no namespace and no socket of the machine', async () => {
    const folder = await newFolder();
    const path = join(folder, 'socket');
    const server = await listening(createServer(), path);
    const { run } = await sandboxSetting({ shown: folder });
    const connect = `node -e 'require("net").connect(${JSON.stringify(path)}).on("connect", () => console.log("reached")).on("error", () => {})'`;
    const { stdout } = await run(
      `ls ${path}; mount -t tmpfs none /mnt && echo mounted; umount /tmp && echo unmounted; unshare -Ur true && echo unshared; ${connect}`,
    );
    expect(stdout).toBe(`${path}\n`);
    expect(server.connections()).toBe(0);
  });
});

describe('the network', () => {
  test('cannot be reached if nothing is allowed, nor can this machine, and the command is told so', async () => {
    const server = await listening(createServer(), { host: '127.0.0.1', port: 0 });
    const { run } = await sandboxSetting();
    const { stderr, refusals, exitCode } = await run(
      `for host in 127.0.0.1 localhost [::1] 0.0.0.0; do curl -sS -m 2 http://$host:${server.port}/; done; curl -sS -m 2 http://example.com/`,
    );
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('Could not resolve host: example.com');
    expect(refusals).toEqual([expect.stringContaining('tools.shell.allowed_domains')]);
    expect(server.connections()).toBe(0);
  });

  test('is reached through the proxy, allowed hosts only, and the command is told what was refused', async () => {
    const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello';
    const server = await listening(
      createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(answer))),
      { host: '127.0.0.1', port: 0 },
    );
    const url = `http://127.0.0.1:${server.port}/`;
    const { run } = await sandboxSetting({ allowedDomains: ['127.0.0.1', 'nowhere.invalid'] });
    expect(await run(`curl -sS -m 5 ${url}`)).toMatchObject({ stdout: 'hello', stderr: '', refusals: [] });
    expect(server.connections()).toBe(1);
    // Past the proxy there is no way.
    expect((await run(`curl -sS -m 5 --noproxy '*' ${url}`)).exitCode).not.toBe(0);
    const refused = await run(`curl -sS -m 5 http://example.com/; curl -sS -m 5 http://localhost:${server.port}/`);
    expect(refused.stdout).not.toContain('hello');
    expect(refused.refusals).toEqual([
      expect.stringContaining('does not allow reaching example.com'),
      expect.stringContaining('does not allow reaching localhost'),
    ]);
    expect(server.connections()).toBe(1);
  });

  test('goes through the operator’s proxy, which the command does not see, and whose fault is told', async () => {
    const server = createHttpServer((_request, response) => response.end('hello'));
    const port = await listenOnLoopback(server);
    onTestFinished(() => closeServer(server));
    const login = { name: 'ada', password: 'pass-of-ada' };
    await using proxy = await openProxy({ hosts: { 'example.com': port }, login });
    const { settings } = proxySettings(proxy.url.replace('//', '//ada:pass-of-ada@'), {});
    const network = await openNetwork(settings);
    const { run } = await sandboxSetting({ allowedDomains: ['example.com', 'absent.example'], network });
    expect(
      await run('curl -sS -m 20 http://example.com/; curl -sS -m 20 --proxytunnel http://example.com/'),
    ).toMatchObject({ stdout: 'hellohello', refusals: [] });
    expect(proxy.asked).toEqual(['GET example.com', 'CONNECT example.com:80']);
    expect((await run('env; cat /proc/*/environ 2>/dev/null')).stdout).not.toContain(login.password);
    expect((await run('curl -sS -m 20 https://absent.example/')).refusals).toEqual([
      expect.stringContaining('does not reach absent.example:443 (502)'),
    ]);
  });

  test('can be reached from the first instant of a command, however slowly the relay starts', async () => {
    const folder = await newFolder();
    const relay = join(folder, 'slow-relay');
    await writeFile(relay, '#!/bin/sh\ncase $1 in TCP4-LISTEN*) sleep 0.3;; esac\nexec socat "$@"\n', { mode: 0o755 });
    const { programs } = await realSandbox();
    const sandbox = { holds: true, programs: { ...programs, relay } } as const;
    const { run } = await sandboxSetting({ sandbox, shown: folder, allowedDomains: ['example.com'] });
    expect(await run(`bash -c 'exec 3<>/dev/tcp/127.0.0.1/3128'`)).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('whose relay does not start is reported, and the command does not run', async () => {
    const folder = await newFolder();
    const relay = join(folder, 'no-relay');
    await writeFile(relay, '#!/bin/sh\ncase $1 in TCP4-LISTEN*) exit 1;; esac\nexec socat "$@"\n', { mode: 0o755 });
    const { programs } = await realSandbox();
    const sandbox = { holds: true, programs: { ...programs, relay } } as const;
    const { run, workspace } = await sandboxSetting({ sandbox, shown: folder, allowedDomains: ['example.com'] });
    expect(await run('touch ran')).toMatchObject({ exitCode: 126, stderr: expect.stringContaining('did not run') });
    expect(await readdir(workspace)).toEqual([]);
  });

  test('leaves no socket and no process behind when it is stopped', async () => {
    const folders = async (): Promise<readonly string[]> =>
      (await readdir(tmpdir())).filter((name) => name.startsWith('keyturn-network-')).sort();
    const before = await folders();
    const { run, stop } = await sandboxSetting({ allowedDomains: ['example.com'] });
    await run('true');
    // Other tests have sandboxes at the same time.
    const added = (await folders()).filter((name) => !before.includes(name));
    await stop();
    const left = await folders();
    const gone = added.filter((name) => !left.includes(name));
    expect(gone).not.toEqual([]);
    for (const name of gone) expect(await processesWith(name)).toEqual([]);
  });
});

async function listening(server: Server, where: string | { host: string; port: number }) {
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  await once(server.listen(where), 'listening');
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const address = server.address();
  return { port: typeof address === 'object' ? address?.port : 0, connections: () => connections };
}
