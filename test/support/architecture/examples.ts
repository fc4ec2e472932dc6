import {
  castViolations,
  environmentViolations,
  importWorkViolations,
  silencingViolations,
  stateViolations,
  timeoutViolations,
  toolViolations,
} from './code-rules.ts';
import { barrelViolations, lengthViolations, nameViolations, sqlViolations } from './file-rules.ts';
import { featureTestViolations, floorViolations } from './floors.ts';
import { literalSpreadViolations, longFunctionViolations } from './shape-rules.ts';
import type { SourceFile, Violation } from './source-file.ts';
import { testViolations } from './test-rules.ts';

type Rule = (file: SourceFile) => readonly Violation[];

/** What a rule has to find fault with, and what not: each a path and the text of a file. */
export interface Example {
  readonly rule: Rule;
  readonly promise: string;
  readonly bad: readonly (readonly [path: string, source: string])[];
  readonly good: readonly (readonly [path: string, source: string])[];
}

const a = 'src/engine/a.ts';

/** Each rule of a single file, with what proves that it can fail. */
export const examples: readonly Example[] = [
  {
    rule: floorViolations,
    promise: 'a file imports from its own folder and from lower floors only',
    bad: [
      ['src/lib/a.ts', `import type { Call } from '../transcript.ts';`],
      ['src/tools/a.ts', `import { judge } from '../approval/verdict.ts';`],
      ['src/tools/builtin/a.ts', `export { b } from '../../models/b.ts';`],
      ['src/engine/a.ts', `export type B = import('../config/b.ts').B;`],
      ['src/engine/a.ts', `import type { B } from '../runs/budget/b.ts';`],
      ['src/runs/context/a.ts', `import type { B } from '../budget/b.ts';`],
      ['src/features/memory/a.ts', `import type { B } from '../planning/b.ts';`],
      ['src/features/memory/a.ts', `import '../../daemon/b.ts';`],
      ['src/features/memory/a.ts', `import type { B } from '../../store/b.ts';`],
      ['src/conversation/a.ts', `import type { B } from '../features/planning/b.ts';`],
      ['src/daemon/channels.ts', `import { b } from '../features/planning/index.ts';`],
      ['scripts/a.ts', `import { b } from '../src/features/planning/index.ts';`],
      ['src/store/a.ts', `const b = await import('../daemon/b.ts');`],
      ['src/cli/a.ts', `import '../main.ts';`],
      ['src/magic/a.ts', `import '../lib/b.ts';`],
      ['src/daemon/daemon.ts', `import '../../scripts/b.ts';`],
      ['scripts/a.ts', `import '../test/support/b.ts';`],
      ['bench/a.ts', `import '../test/support/b.ts';`],
    ],
    good: [
      [
        'src/tools/builtin/a.ts',
        `import { b } from '../tool.ts'; import { c } from '../../lib/c.ts'; import { z } from 'zod';`,
      ],
      ['src/daemon/daemon.ts', `import '../store/index.ts'; import '../contract.ts';`],
      ['src/runs/context/a.ts', `import '../../engine/b.ts'; import './b.ts';`],
      ['src/features/memory/a.ts', `import '../../feature-points.ts'; import './tables.ts';`],
      ['src/features/memory/tables.ts', `import '../../store/b.ts'; import './b.ts';`],
      ['src/features/index.ts', `const b = () => import('./planning/index.ts');`],
      ['src/daemon/daemon.ts', `import { b } from '../features/index.ts';`],
      ['src/main.ts', `import './cli/run.ts'; import './daemon/daemon.ts';`],
      ['scripts/a.ts', `import '../src/config/schema.ts'; import '../channels/index.ts';`],
      ['bench/attacks/a.ts', `import '../../test/support/b.ts';`],
    ],
  },
  {
    rule: featureTestViolations,
    promise: 'the tests of a feature can be left out with it',
    bad: [
      ['test/engine/a.test.ts', `import { b } from '../../src/features/planning/b.ts';`],
      ['test/features/memory/a.test.ts', `import { b } from '../planning/planning-setting.ts';`],
      ['test/support/a.ts', `import { b } from '../features/planning/planning-setting.ts';`],
    ],
    good: [
      [
        'test/features/planning/a.test.ts',
        `import { b } from '../../../src/features/planning/b.ts'; import { c } from './c.ts'; import '../../support/d.ts';`,
      ],
    ],
  },
  {
    rule: floorViolations,
    promise: 'the client library stands alone',
    bad: [
      ['packages/client/src/client.ts', `import type { JsonObject } from '../../../src/lib/json.ts';`],
      ['packages/client/src/client.ts', `import { z } from 'zod';`],
      ['packages/client/src/client.ts', `import { setTimeout } from 'node:timers';`],
      ['channels/slack/a.ts', `import { connect } from '../../packages/client/src/client.ts';`],
      ['src/daemon/a.ts', `import { connect } from '../../packages/client/src/client.ts';`],
    ],
    good: [['packages/client/src/client.ts', `import { Socket } from './socket.ts';`]],
  },
  {
    rule: floorViolations,
    promise: 'the fakes of platforms stand alone, and only tests see them, and the demo when it is played',
    bad: [
      ['packages/fakes/src/json.ts', `import type { JsonObject } from '../../../src/lib/json.ts';`],
      ['packages/fakes/src/json.ts', `import { waitUntil } from '../../../test/support/wait-for.ts';`],
      ['channels/slack/a.ts', `import { SlackServer } from '../../packages/fakes/src/slack-server.ts';`],
      ['src/daemon/a.ts', `import { SlackServer } from '../../packages/fakes/src/slack-server.ts';`],
      [
        'src/cli/commands/demo/fake-telegram.ts',
        `import { TelegramServer } from '../../../../packages/fakes/src/telegram-server.ts';`,
      ],
      ['src/cli/commands/demo/demo.ts', `await import('../../../../packages/fakes/src/telegram-server.ts');`],
      ['packages/client/src/client.ts', `import { Changes } from '../../fakes/src/changes.ts';`],
    ],
    good: [
      ['src/cli/commands/demo/fake-telegram.ts', `await import('../../../../packages/fakes/src/telegram-server.ts');`],
      ['packages/fakes/src/slack-server.ts', `import { z } from 'zod'; import { Changes } from './changes.ts';`],
      ['packages/fakes/src/slack/state.ts', `import { Changes } from '../changes.ts'; import 'node:http';`],
    ],
  },
  {
    rule: floorViolations,
    promise: 'a channel sees the contract, and only main.ts sees the channels',
    bad: [
      ['src/cli/a.ts', `import '../../channels/index.ts';`],
      ['src/main.ts', `import '../channels/telegram/index.ts';`],
      ['channels/telegram/api.ts', `import '../slack/api.ts';`],
      ['channels/kit/lanes.ts', `import '../slack/api.ts';`],
      ['channels/kit/access-settings.ts', `import './lanes.ts';`],
      ['channels/telegram/api.ts', `import type { Tool } from '../../src/tools/tool.ts';`],
      ['channels/telegram/settings.ts', `import { Api } from 'grammy';`],
      ['channels/telegram/settings.ts', `import { rate } from './api.ts';`],
      ['channels/telegram/settings.ts', `import { b } from '../../src/lib/json.ts';`],
      ['channels/telegram/settings/words.ts', `import { b } from '../api.ts';`],
      ['channels/index.ts', `import './telegram/index.ts';`],
      ['channels/index.ts', `const b = () => import('./telegram/api.ts');`],
    ],
    good: [
      ['src/main.ts', `const b = await import('../channels/index.ts');`],
      ['channels/slack/api.ts', `import '../kit/lanes.ts';`],
      ['channels/slack/settings.ts', `import '../kit/access-settings.ts';`],
      ['channels/slack/settings.ts', `import './settings/words.ts'; import '../../src/lib/schema-text.ts';`],
      ['channels/slack/settings/words.ts', `import '../../../src/lib/words.ts';`],
      [
        'channels/telegram/api.ts',
        `import 'grammy'; import './parse.ts'; import '../../src/contract.ts'; import '../../src/lib/json.ts';`,
      ],
      [
        'channels/telegram/settings.ts',
        `import { z } from 'zod'; import { directNetwork } from '../../src/contract.ts';`,
      ],
      ['channels/index.ts', `import './telegram/settings.ts'; const b = () => import('./telegram/index.ts');`],
    ],
  },
  {
    rule: lengthViolations,
    promise: 'a file has at most 400 lines',
    bad: [[a, 'f();\n'.repeat(401)]],
    good: [[a, 'f();\n'.repeat(400)]],
  },
  {
    rule: longFunctionViolations,
    promise: 'a function has at most 80 lines, with all that stands in it',
    bad: [
      [a, `function f() {${'\n'.repeat(80)}}`],
      [a, `const f = () => {${'\n'.repeat(80)}};`],
      [a, `class B { c() {${'\n'.repeat(80)}} }`],
      [a, `const b = { c() {${'\n'.repeat(80)}} };`],
    ],
    good: [[a, `function f() {${'\n'.repeat(79)}}`]],
  },
  {
    rule: literalSpreadViolations,
    promise: 'the fields of an object are written one by one',
    bad: [[a, 'const b = { ...{ c, d }, e };']],
    good: [[a, 'const b = { ...c, d, ...(e === undefined ? {} : { e }) };']],
  },
  {
    rule: nameViolations,
    promise: 'a file is named after its idea',
    bad: ['utils', 'string-utils', 'helpers', 'types', 'common'].map((name) => [`src/lib/${name}.ts`, '']),
    good: [['src/lib/keyed-queue.ts', '']],
  },
  {
    rule: barrelViolations,
    promise: 'no file only re-exports, but the three lists',
    bad: [
      ['src/tools/index.ts', `export * from './tool.ts';`],
      [a, `import './b.ts'; export { b } from './b.ts'; export type { C } from './c.ts';`],
    ],
    good: [
      ['src/store/index.ts', `export * from './inbox.ts';`],
      ['channels/telegram/index.ts', `import { b } from './b.ts'; export const telegram = b;`],
      [a, `export { b } from './b.ts'; export const c = 1;`],
    ],
  },
  {
    rule: sqlViolations,
    promise: 'SQL stays in the store, and in the tables.ts of features',
    bad: [
      [a, `const b = 'SELECT id FROM inbox';`],
      [a, 'const b = `SELECT $' + '{columns}\n FROM inbox WHERE id = ?`;'],
      [a, `run('INSERT OR IGNORE INTO inbox VALUES (?)');`],
      [a, `run('UPDATE calls SET state = 1');`],
      [a, `run('DELETE FROM calls');`],
      [a, `run('CREATE UNIQUE INDEX i ON calls (id)');`],
      [a, `import Database from 'better-sqlite3';`],
      ['src/features/memory/tables.ts', `import Database from 'better-sqlite3';`],
      ['src/features/memory/words.ts', `const b = 'DELETE FROM memories';`],
    ],
    good: [
      ['src/features/memory/tables.ts', `const b = 'DELETE FROM memories';`],
      ['src/features/devices/gateway/tables.ts', `const b = 'DELETE FROM devices';`],
      ['src/store/a.ts', `import Database from 'better-sqlite3'; const b = 'DELETE FROM calls';`],
      [a, `const b = 'Select one from the list, then insert it into the other and delete from there.';`],
    ],
  },
  {
    rule: stateViolations,
    promise: 'a module holds no state',
    bad: [
      [a, 'let count = 0;'],
      [a, 'export var count = 0;'],
      [a, 'const seen = new Set<string>();'],
      [a, 'export const all: Map<string, string> = new Map();'],
      [a, 'const list: string[] = [];'],
      [a, 'const table: Record<string, string> = {};'],
      [a, 'class B { static count = 0; }'],
    ],
    good: [
      [a, `const names: ReadonlySet<string> = new Set(['b']); const none: readonly string[] = []; const two = [1, 2];`],
      [a, 'export function b() { let count = 0; const seen = new Set(); return [count, seen]; }'],
      [a, 'class B { static readonly kind = 1; #seen = new Set(); }'],
    ],
  },
  {
    rule: importWorkViolations,
    promise: 'nothing happens on import',
    bad: [
      [a, 'start();'],
      [a, `if (ready) { start(); }`],
      [a, 'export const b = await load();'],
    ],
    good: [
      ['src/main.ts', 'await start();'],
      [a, 'export const b = defineTool({ async execute() { await run(); } });'],
    ],
  },
  {
    rule: castViolations,
    promise: 'nothing is cast, but by `as const`',
    bad: [
      [a, 'const b = c as D;'],
      [a, 'const b = c as unknown as D;'],
      [a, 'const b = <D>c;'],
    ],
    good: [[a, `import { c as d } from './c.ts'; const b = ['as D'] as const; const e = { f: 1 } satisfies F;`]],
  },
  {
    rule: silencingViolations,
    promise: 'the compiler is not silenced',
    bad: [
      [a, 'let b!: string;'],
      [a, 'class B { c!: string; }'],
      [a, '// @ts-expect-error\nb();'],
    ],
    good: [[a, `const b = !c; if (b !== c) d();`]],
  },
  {
    rule: toolViolations,
    promise: 'tools of our own say what they do in the language of their reader',
    bad: [
      ['src/features/memory/a.ts', `const b = defineTool({ name: 'b' });`],
      ['src/tools/builtin/files/a.ts', `const b = () => defineTool({ name: 'b' });`],
    ],
    good: [
      ['src/features/memory/a.ts', `const b = defineBuiltin({ name: 'b' });`],
      ['src/tools/a.ts', `const b = defineTool({ name: 'b' });`],
    ],
  },
  {
    rule: environmentViolations,
    promise: 'the environment is read at the edge only',
    bad: [
      [a, 'const b = process.env.HOME;'],
      [a, 'const { env } = process;'],
      [a, `import { env } from 'node:process';`],
      ['channels/telegram/api.ts', 'f(process.env);'],
    ],
    good: [
      ['src/main.ts', 'f(process.env);'],
      ['src/config/load.ts', 'f(process.env);'],
      [a, 'function b({ env }: C) { const { stdin } = process; return env.HOME ?? stdin; }'],
    ],
  },
  {
    rule: timeoutViolations,
    promise: 'what has a time limit leaves nothing behind once it is over',
    bad: [[a, 'fetch(b, { signal: AbortSignal.timeout(1000) });']],
    good: [[a, 'fetch(b, { signal: AbortSignal.any([c, d]) });']],
  },
  {
    rule: testViolations,
    promise: 'no test is skipped, no module is mocked, and no short test measures time',
    bad: [
      ['test/a.test.ts', `vi.mock('./b.ts');`],
      ['test/a.test.ts', `test.skip('b', () => {});`],
      ['test/a.test.ts', `describe.only('b', () => {});`],
      ['test/a.test.ts', `const begun = performance.now();`],
      ['test/a.scaled.test.ts', `import { expectLinear } from './support/processor-time.ts';`],
    ],
    good: [
      ['test/a.test.ts', `test('b', () => { vi.fn(); });`],
      [
        'test/a.long.test.ts',
        `import { expectLinear } from './support/processor-time.ts'; const begun = performance.now();`,
      ],
    ],
  },
];
