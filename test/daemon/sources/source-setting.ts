import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { AnswerPart } from '../../../src/models/language-model.ts';
import { type DaemonSetting, daemonSetting } from '../../support/daemon-setting.ts';
import { endedWithTime } from '../../support/mcp/mcp-setting.ts';
import { definition, type ServerFolder, serverFolder } from '../../support/mcp/server-folder.ts';
import { newFolder } from '../../support/new-folder.ts';
import { writePlugin } from '../../support/plugin-files.ts';
import { call } from '../../support/scripted-model.ts';
import { waitUntil } from '../../support/wait-for.ts';

/** Whether a tool is one that writes, or one that only reads. */
export type Kind = 'write' | 'read';

export const sources = [
  'builtin',
  'custom',
  'plugin command',
  'plugin binary',
  'tool module',
  'mcp',
  'composed',
  'delegate',
] as const;

export type SourceName = (typeof sources)[number];

/** What came of a call: it ran without a question, after one, or not at all. */
export type Fate = 'runs' | 'asks' | 'refused';

/** The fate of the call itself and, where a run of its own works on it, of the handing over. */
export interface Fates {
  readonly call: Fate;
  readonly handedOver?: Fate;
}

/** All tools that the sources bring: each leaves a trace when it runs. */
const toolNames: Readonly<Record<SourceName, Readonly<Record<Kind, string>>>> = {
  builtin: { write: 'write_file', read: 'read_file' },
  custom: { write: 'own_write', read: 'own_read' },
  'plugin command': { write: 'command_write', read: 'command_read' },
  'plugin binary': { write: 'binary_write', read: 'binary_read' },
  'tool module': { write: 'module_write', read: 'module_read' },
  mcp: { write: 'box_write', read: 'box_read' },
  composed: { write: 'own_write', read: 'own_read' },
  delegate: { write: 'own_write', read: 'own_read' },
};

/** The names of all tools that do something themselves. */
export const deedNames: readonly string[] = [...new Set(sources.flatMap((name) => Object.values(toolNames[name])))];

const categories = { write: 'filesystem_write', read: 'filesystem_read' } as const;
const kinds: readonly Kind[] = ['write', 'read'];

/** A daemon into which every source has brought a tool that writes, and one that reads. */
export class SourceSetting {
  readonly daemon: DaemonSetting;
  readonly #server: ServerFolder;
  #answers = 0;

  constructor(daemon: DaemonSetting, server: ServerFolder) {
    this.daemon = daemon;
    this.#server = server;
  }

  /** Goes on with other settings. What was read before is forgotten. */
  async restart(changed: Readonly<Record<string, unknown>>): Promise<void> {
    await endedWithTime(this.daemon);
    await this.daemon.start(changed);
  }

  /** Has the model call the tool of the source; whatever is asked is approved, after a look at that nothing has run. */
  async fate(source: SourceName, kind: Kind, isTainted: boolean): Promise<Fates> {
    const { channel, model } = this.daemon;
    await this.#label(isTainted);
    const before = await this.#traces(source, kind);
    this.#answers += 1;
    const last = `That was ${this.#answers}.`;
    model.next(...this.#answersFor(source, kind), last);
    await channel.say('go on');
    const asked: string[] = [];
    for (;;) {
      const waiting = await waitUntil(() => this.#waiting() ?? this.#says(last), { what: `${source} to go on` });
      if (waiting === 'said') break;
      asked.push(waiting.tool);
      expect(await this.#traces(source, kind)).toBe(before);
      await channel.say(`/approve ${waiting.id}`);
      await waitUntil(() => this.#waiting()?.id !== waiting.id, { what: 'the decision' });
    }
    await channel.whenIdle();
    const runs = (await this.#traces(source, kind)) - before;
    expect(runs).toBeLessThanOrEqual(1);
    const deed = toolNames[source][kind];
    const call = runs === 0 ? 'refused' : asked.includes(deed) ? 'asks' : 'runs';
    if (source !== 'composed' && source !== 'delegate') return { call };
    return { call, handedOver: asked.some((tool) => tool !== deed) ? 'asks' : 'runs' };
  }

  #answersFor(source: SourceName, kind: Kind): (AnswerPart[] | string)[] {
    const deed = call(toolNames[source][kind], argumentsOf(source, kind));
    if (source === 'composed') return [[call('in_words', {})], [deed], 'worked'];
    if (source === 'delegate') return [[call('delegate', { agent: 'worker', task: 'do it' })], [deed], 'worked'];
    return [[deed]];
  }

  #waiting(): { readonly id: string; readonly tool: string } | undefined {
    const [row] = this.daemon.rows("SELECT id, tool_name FROM approvals WHERE state = 'pending'");
    return row === undefined ? undefined : { id: String(row.id), tool: String(row.tool_name) };
  }

  #says(words: string): 'said' | undefined {
    return this.daemon.channel.screen.some(({ text }) => text.includes(words)) ? 'said' : undefined;
  }

  /** What was read by one call must not decide about the next. */
  async #label(isTainted: boolean): Promise<void> {
    await this.daemon.channel.sayAtRest('/new');
    if (!isTainted) return;
    this.daemon.tamper(
      `UPDATE conversations SET tainted = 1, taint_sources = '["a page"]' WHERE id = 'test:ada' AND sub_run IS NULL`,
    );
  }

  /** How often the tool has run. */
  async #traces(source: SourceName, kind: Kind): Promise<number> {
    const name = toolNames[source][kind];
    if (source === 'mcp') return this.#server.messages.filter(({ params }) => params?.name === kind).length;
    if (source === 'builtin') {
      const [row] = this.daemon.rows(
        `SELECT count(*) AS count FROM calls WHERE name = '${name}' AND outcome = 'success'`,
      );
      return Number(row?.count);
    }
    const text = await readFile(join(this.daemon.workspace, `${name}.txt`), 'utf8').catch(() => '');
    return text.length;
  }
}

function argumentsOf(source: SourceName, kind: Kind): JsonObject {
  if (source !== 'builtin') return {};
  if (kind === 'read') return { path: 'known.txt' };
  return { path: 'written.txt', content: 'x' };
}

/** Every source brings its tools, and owners trust all of them. */
export async function sourceSetting(): Promise<SourceSetting> {
  const folder = await newFolder();
  await writePlugins(join(folder, 'plugins'));
  await writeFile(join(folder, 'tools.ts'), kinds.map(moduleTool).join('\n'));
  const server = await serverFolder(definition('write'), definition('read'));
  const tools = { write: { category: categories.write }, read: { category: categories.read } };
  const daemon = await daemonSetting({
    config: {
      custom_tools: kinds.map((kind) => ({ ...commandTool(`own_${kind}`, kind), category: categories[kind] })),
      composed_tools: [{ name: 'in_words', description: 'Does it.', action: 'Do it.', tools: ['own_*'] }],
      agents: { worker: { description: 'works', tools: ['own_*'] } },
      plugins: { enabled: true, plugin_dirs: [join(folder, 'plugins')] },
      tool_modules: [join(folder, 'tools.ts')],
      mcp_servers: { box: server.config({ category: undefined, tools }) },
    },
  });
  const setting = new SourceSetting(daemon, server);
  await daemon.write('known.txt', 'known');
  await daemon.channel.say('hi');
  const asked = () => daemon.rows('SELECT asked_id FROM trusted WHERE asked_id IS NOT NULL');
  await waitUntil(() => asked().length === 3, { what: 'all to be asked about' });
  await daemon.channel.say(
    `/trust ${asked()
      .map(({ asked_id }) => String(asked_id))
      .join(' ')}`,
  );
  await daemon.channel.sees('Trusted');
  return setting;
}

function commandTool(name: string, kind: Kind) {
  return { name, description: `Does a ${kind}.`, command: `printf x >> ${name}.txt`, parameters: {} };
}

async function writePlugins(folder: string): Promise<void> {
  const common = { version: '1.0.0', description: 'For a table.' };
  const commands = kinds.map((kind) => ({ ...commandTool(`command_${kind}`, kind), category: categories[kind] }));
  await writePlugin(folder, { name: 'commands', ...common, tools: commands }, 'commands');
  const binary = { path: 'program.mjs' };
  const tools = kinds.map((kind) => ({
    name: `binary_${kind}`,
    description: `Does a ${kind}.`,
    category: categories[kind],
    parameters: {},
  }));
  const program = `import { appendFileSync, readFileSync } from 'node:fs';
const { id, params } = JSON.parse(readFileSync(0, 'utf8'));
appendFileSync(params.tool + '.txt', 'x');
console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { output: 'done' } }));
`;
  const manifest = { name: 'programs', ...common, execution: 'binary', binary, tools };
  await writePlugin(folder, manifest, 'programs', { 'program.mjs': program });
}

function moduleTool(kind: Kind): string {
  return `import { appendFileSync as append_${kind} } from 'node:fs';
import { defineTool as define_${kind}, llmOnly as say_${kind}, z as z_${kind} } from '@keyturn/sdk/tool';
export const module_${kind}: unknown = define_${kind}({
  name: 'module_${kind}', category: '${categories[kind]}', description: 'Does a ${kind}.', input: z_${kind}.object({}),
  describeCall: () => 'do a ${kind}',
  execute: async (_args: unknown, { workspace }: { workspace: string }) => {
    append_${kind}(workspace + '/module_${kind}.txt', 'x');
    return say_${kind}('done');
  },
});`;
}
