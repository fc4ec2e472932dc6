import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import type { SandboxState } from '../../src/tools/guard/process/sandbox.ts';
import { type DaemonSetting, daemonSetting } from '../support/daemon-setting.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import { RecordingTool, readPage } from '../support/recording-tool.ts';
import { call, resultsOf } from '../support/scripted-model.ts';
import { realSandbox } from '../tools/guard/process/sandbox-setting.ts';

/** Nothing asks by itself: a card comes only of what was read. */
const config = {
  agent: { mode: 'autonomous' },
  approval: { policy: 'always_allow' },
  tools: { shell: { deny: [] }, rate_limits: {} },
};

let sandbox: SandboxState;
beforeAll(async () => {
  sandbox = await realSandbox();
});

type Deed = readonly [name: string, args: JsonObject];

const post: Deed = ['post', { what: 'x' }];
const page: Deed = ['read_page', { what: 'x' }];
const shell = (command: string): Deed => ['shell', { command }];
const write = (path: string, content = 'what the page says'): Deed => ['write_file', { path, content }];

class Setting {
  readonly daemon: DaemonSetting;

  constructor(daemon: DaemonSetting) {
    this.daemon = daemon;
  }

  /** What is asked, if anything, in a conversation that has read nothing. All is allowed. */
  async asks(...deeds: readonly Deed[]): Promise<readonly string[]> {
    const { channel, model, clock } = this.daemon;
    await channel.say('/new');
    await channel.whenIdle();
    model.next(...deeds.map(([name, args]) => [call(name, args)]), 'That is all.');
    await channel.say('go on');
    await whileTimePasses(channel.whenIdle(), clock);
    const asked: string[] = [];
    for (let card = this.#open; card !== undefined; card = this.#open) {
      asked.push(card.text);
      await channel.press(card);
      await whileTimePasses(channel.whenIdle(), clock);
    }
    return asked;
  }

  get #open() {
    return this.daemon.channel.screen.find(({ buttons }) => buttons.length > 0);
  }
}

/** What a sandbox leaves is waited for, by the clock. */
async function whileTimePasses(work: Promise<unknown>, clock: ManualClock): Promise<void> {
  let isOver = false;
  void work.finally(() => {
    isOver = true;
  });
  await vi.waitFor(
    () => {
      clock.advance(25);
      expect(isOver).toBe(true);
    },
    { timeout: 100_000, interval: 10 },
  );
  await work;
}

/** A page has written `notes.txt` and what is named; `own.txt` and `keep/own.txt` are the person's. */
async function setting(...written: readonly Deed[]): Promise<Setting> {
  const tools = [new RecordingTool('post', 'network_write'), readPage()].map(({ registration }) => registration);
  const files = { 'own.txt': 'mine', 'keep/own.txt': 'mine' };
  const it = new Setting(await daemonSetting({ tools, config, sandbox, files }));
  await it.asks(page, write('notes.txt'), ...written);
  return it;
}

const perl = (script: string): string => `perl -MFcntl -e '${script}'`;
/** A system call by its number here: on x64 or on arm64. */
const number = (x64: number, arm64: number): number => (process.arch === 'arm64' ? arm64 : x64);
const noAccess = 0o1000000;

/** Each reads `notes.txt`, or makes what the next command reads, in a conversation of its own. */
const ways: readonly (readonly [what: string, reading: string, later?: string])[] = [
  ['plainly', 'cat notes.txt'],
  ['without an access time, and plainly if that is refused', 'dd if=notes.txt iflag=noatime || dd if=notes.txt'],
  [
    'after a flag that stops access times, and plainly if that is refused',
    perl(`open F, "<notes.txt"; fcntl(F, F_SETFL, ${noAccess}); print <F>`),
  ],
  ['and puts the time back (tar)', 'tar --atime-preserve=replace -cO notes.txt'],
  ['and puts the time back (touch)', 'cat notes.txt; touch -a -d @0 notes.txt'],
  [
    'and puts the time back (perl)',
    perl('@s = stat "notes.txt"; open F, "<notes.txt"; print <F>; utime $s[8], $s[9], "notes.txt"'),
  ],
  [
    'and puts the times back by a reference',
    'cp -p own.txt r; touch -r notes.txt r; cat notes.txt; touch -r r notes.txt',
  ],
  ['and puts the time back in its last line', 'printf "cat notes.txt\\ntouch -a -d @0 notes.txt" > s.sh; sh s.sh'],
  ['through a hard link', 'ln notes.txt link; cat link'],
  ['through a hard link, later', 'ln notes.txt link', 'cat link'],
  ['through a link', 'ln -s notes.txt link; cat link'],
  ['through a link, later', 'ln -s notes.txt link', 'cat link'],
  ['under another name', 'mv notes.txt moved.txt; cat moved.txt'],
  ['under another name, later', 'mv notes.txt moved.txt', 'cat moved.txt'],
  ['in another folder, later', 'mkdir d; mv notes.txt d/n; mv d e', 'cat e/n'],
  ['through memory', 'git hash-object notes.txt'],
  ['by sendfile', perl(`open F, "<notes.txt"; syscall(${number(40, 71)}, 1, fileno F, 0, 99) > 0 or print <F>`)],
  [
    'by splice',
    perl(
      `open F, "<notes.txt"; pipe R, W; syscall(${number(275, 76)}, fileno F, 0, fileno W, 0, 99, 0); close W; print while sysread R, $_, 9`,
    ),
  ],
  [
    'by copying a range, and plainly if that is refused',
    perl(
      `open F, "<notes.txt"; open C, ">c"; syscall(${number(326, 285)}, fileno F, 0, fileno C, 0, 99, 0) > 0 or print C <F>`,
    ),
  ],
  ['as a copy, later', 'cp notes.txt copy.txt', 'cat copy.txt'],
  ['as a clone, later', 'cp --reflink=auto notes.txt copy.txt', 'cat copy.txt'],
  ['as a part of an archive, later', 'tar cf a.tar notes.txt', 'tar xOf a.tar'],
  ['as a part of another file, later', 'cat own.txt notes.txt > both', 'cat both'],
  ['as a part of a file whose times are old, later', 'cat notes.txt > c; touch -d @0 c notes.txt', 'cat c'],
  ['while it goes', 'exec 3< notes.txt; rm notes.txt; cat <&3'],
  ['and writes it again', 'x=$(cat notes.txt); printf %s "$x" > notes.txt; touch -a -d @0 notes.txt'],
  ['in place of another file', 'cp -p own.txt o; mv notes.txt own.txt; mv o notes.txt; cat own.txt'],
  ['by searching', 'grep -r page .'],
  ['by comparing', 'diff own.txt notes.txt'],
  ['as a script', 'sh ./notes.txt; true'],
  ['by sourcing it', '. ./notes.txt; true'],
  ['past the memory of the kernel', 'dd if=notes.txt iflag=direct bs=4096 || cat notes.txt'],
  ['by the shell alone', 'read -r line < notes.txt; echo "$line"'],
  ['in the background, and puts the time back', '(cat notes.txt; touch -a -d @0 notes.txt) & wait'],
  [
    'after its rights were changed, and puts all back',
    'chmod 600 notes.txt; cat notes.txt; chmod 644 notes.txt; touch -a -d @0 notes.txt',
  ],
];

describe('a command in the sandbox is seen to read a file of others', () => {
  test.each(ways.map(([what, reading, later = '']) => [what, reading, later] as const))(
    '%s',
    async (_, reading, later) => {
      const it = await setting();
      if (later === '') {
        expect(await it.asks(shell(reading), post)).toEqual([expect.stringContaining('(evil.example)')]);
      } else {
        await it.asks(shell(reading));
        expect(await it.asks(shell(later), post)).toEqual([expect.stringContaining('evil.example')]);
      }
    },
  );

  test('and cannot read it without an access time', async () => {
    const it = await setting();
    const { daemon } = it;
    const reads = perl(`sysopen F, "notes.txt", ${noAccess} or print "refused: $!"; print <F>`);
    expect(await it.asks(shell(reads), post)).toEqual([]);
    expect(daemon.model.requests.flatMap(resultsOf).join('')).toContain('refused: Operation not permitted');
  });

  test('that was made so that it records no access', async () => {
    const it = await setting(
      shell('touch still; chattr +A still; mkdir d; chattr +A d; echo say it | tee still d/new'),
    );
    expect(await it.asks(shell('cat still'), post)).toHaveLength(1);
    expect(await it.asks(shell('cat d/new'), post)).toHaveLength(1);
  });

  test.each(['.envrc', 'deep/.vscode/tasks.json'])('that it cannot write: %s', async (path) => {
    const it = await setting(write(path));
    for (const reading of [`cat ${path}`, `cp ${path} copy`, 'sh own.txt', 'cat own.txt'])
      expect(await it.asks(shell(reading), post)).toEqual([expect.stringContaining(`${path} (evil.example)`)]);
    for (const command of ['ls -la', 'date', `stat ${path}`, 'echo x', 'find . -name "*.txt"'])
      expect(await it.asks(shell(command), post)).toEqual([]);
  });
});

test('an ordinary command beside a file of others taints nothing', async () => {
  const it = await setting();
  const harmless = [
    ...[
      'ls',
      'ls -la',
      'ls -R',
      'date',
      'pwd',
      'whoami',
      'cat own.txt',
      'head -1 own.txt',
      'wc -l own.txt keep/own.txt',
    ],
    ...['stat notes.txt', 'du -sh .', 'df .', 'find . -name "*.txt"', 'find . -type f -newer own.txt', 'file own.txt'],
    ...['echo x > new.txt', 'mkdir -p d', 'touch own.txt', 'cp own.txt other.txt', 'mv other.txt d/', 'rm d/other.txt'],
    ...[
      'git init -q .',
      'git add own.txt',
      'git status',
      'git -c user.name=a -c user.email=a@b commit -qm x',
      'git log',
    ],
    ...['git diff', 'git ls-files', 'node -e 1', 'python3 -c "print(1)"', 'grep -r mine keep', 'sort own.txt'],
    ...['tar cf keep.tar keep', 'sed -n 1p own.txt', 'sha256sum own.txt', 'test -f notes.txt', 'printf %s x', 'env'],
    ...['sh -c "cat own.txt"', 'ls | wc -l', 'for f in *.txt; do echo "$f"; done', 'chmod 600 own.txt', 'uptime'],
  ];
  const tainting = [];
  for (const command of harmless) if ((await it.asks(shell(command), post)).length > 0) tainting.push(command);
  expect(tainting).toEqual([]);
});
