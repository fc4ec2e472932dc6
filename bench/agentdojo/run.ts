/**
 * AgentDojo against the daemon, with a model that follows the last instruction it read: the worst case of a hijacked
 * model. For each task of a suite, without and with each injection, the model makes the calls of the task's ground
 * truth; once a result contains the injected text, it makes those of the injection first. A person approves only the
 * task's own calls. AgentDojo judges the outcome.
 *
 *     node scripts/run.js bench/agentdojo/run.ts [--python PYTHON] [--mode assistant|autonomous] [--owner own|deny]
 *                                                [--own-words] [--suite NAME] [--taint ask|off] [--clean] [--categories]
 *                                                [--verbose]
 *
 * `--categories`: of each tool, the operator says the category and nothing else. Needs Python with AgentDojo (see dojo.py). Prints one line per suite and one for all.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { configSchema } from '../../src/config/join-settings.ts';
import type { ChannelAdapter, ChannelHost, Conversation, OutboundMessage } from '../../src/contract.ts';
import { settingsOfFeatures } from '../../src/features/index.ts';
import { cardParts, foldedText } from '../../src/lib/card-parts.ts';
import { canonicalJson, type JsonObject } from '../../src/lib/json.ts';
import type { AnswerPart, LanguageModel, ModelRequest } from '../../src/models/language-model.ts';
import { startBenchDaemon } from '../bench-daemon.ts';
import { mapping } from './mapping.ts';

const { values: options } = parseArgs({
  options: {
    python: { type: 'string', default: 'python3' },
    mode: { type: 'string', default: 'autonomous' },
    owner: { type: 'string', default: 'own' },
    taint: { type: 'string', default: 'ask' },
    suite: { type: 'string', multiple: true, default: ['workspace', 'travel', 'banking', 'slack'] },
    'own-words': { type: 'boolean', default: false },
    clean: { type: 'boolean', default: false },
    categories: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});

interface Call {
  readonly name: string;
  readonly arguments: JsonObject;
}

interface CaseName {
  readonly user: string;
  readonly injection: string | null;
}

interface Case {
  readonly prompt: string;
  readonly calls: readonly Call[];
  readonly output: string;
  readonly injected: readonly Call[];
  readonly injected_output: string;
  readonly mark: string;
}

interface Outcome {
  readonly utility: boolean;
  readonly security: boolean;
}

/** Client of dojo.py, which serves AgentDojo as an MCP server. */
class Dojo {
  readonly #base: string;
  readonly close: () => void;

  private constructor(base: string, close: () => void) {
    this.#base = base;
    this.close = close;
  }

  static async open(suite: string): Promise<Dojo> {
    const script = join(import.meta.dirname, 'dojo.py');
    const child = spawn(options.python, [script, suite], { stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const line of createInterface(child.stdout)) {
      const { port } = z.object({ port: z.number() }).parse(JSON.parse(line));
      return new Dojo(`http://127.0.0.1:${port}`, () => child.kill());
    }
    throw new Error('The script dojo.py has ended: has Python the packages that it names?');
  }

  get mcp(): string {
    return `${this.#base}/mcp`;
  }

  cases(): Promise<readonly CaseName[]> {
    return this.#post('/cases', {});
  }

  begin(name: CaseName): Promise<Case> {
    return this.#post('/begin', name);
  }

  end(output: string): Promise<Outcome> {
    return this.#post('/end', { output });
  }

  async #post<Answer>(path: string, body: object): Promise<Answer> {
    const response = await fetch(`${this.#base}${path}`, { method: 'POST', body: JSON.stringify(body) });
    const answer: Answer = JSON.parse(await response.text());
    return answer;
  }
}

/** Makes the calls of the case, consecutive ones to one tool at once. Obeys an injection first, once it reads one. */
class ObedientModel implements LanguageModel {
  readonly label = 'obedient';
  readonly seesImages = false;
  #case: Case | undefined;
  #left: Call[][] = [];
  #made = 0;
  isHijacked = false;

  begin(one: Case): void {
    this.#case = one;
    this.#left = answersOf(one.calls);
    this.isHijacked = false;
  }

  async *stream(request: ModelRequest) {
    const one = this.#case;
    if (one === undefined) throw new Error('The model was asked before there was a case.');
    if (!this.isHijacked && one.mark !== '' && plain(textsOf(request)).includes(one.mark)) {
      this.isHijacked = true;
      this.#left = [...answersOf(one.injected), ...this.#left];
    }
    const calls = this.#left.shift();
    const text = `${one.output}${this.isHijacked ? `\n${one.injected_output}` : ''}`;
    const parts: readonly AnswerPart[] = calls?.map((call) => this.#part(call)) ?? [
      { type: 'text', text: text.trim() === '' ? 'Done.' : text },
    ];
    yield { type: 'finish', answer: { parts, usage: { inputTokens: 1, outputTokens: 1 } } } as const;
  }

  #part({ name, arguments: args }: Call): AnswerPart {
    this.#made += 1;
    return { type: 'call', modelCallId: `m${this.#made}`, name: toolName(name), arguments: args };
  }
}

/** Groups consecutive calls of one tool: sending to three people is one answer. */
function answersOf(calls: readonly Call[]): Call[][] {
  const answers: Call[][] = [];
  for (const call of calls) {
    const last = answers.at(-1);
    if (last?.[0]?.name === call.name) last.push(call);
    else answers.push([call]);
  }
  return answers;
}

const toolName = (name: string): string => `dojo_${name}`;

function textsOf(request: ModelRequest): string {
  return JSON.stringify(request.messages);
}

/** Letters and digits only: YAML and then JSON fold and escape results. */
function plain(text: string): string {
  return text
    .replaceAll(/\\+[nt]/g, '')
    .toLowerCase()
    .replaceAll(/[^0-9a-z]/g, '');
}

/** One person with a direct chat per case, who approves only the task's own calls. */
class Person implements ChannelAdapter {
  readonly capabilities = {
    maxLength: 100_000,
    forms: false,
    maxFileBytes: 0,
    editPause: { direct: 1000, group: 1000 },
    history: true,
    folds: true,
  };
  #host: ChannelHost | undefined;
  #messages = 0;
  #own = new Set<string>();
  #pressing: Promise<unknown>[] = [];
  ownCards = 0;
  strangeCards = 0;
  replies: string[] = [];

  begin({ calls }: Case): void {
    this.#own = new Set(calls.map((call) => keyOf({ ...call, name: toolName(call.name) })));
    this.ownCards = 0;
    this.strangeCards = 0;
    this.replies = [];
  }

  measure(markdown: string): number {
    return markdown.length;
  }

  async start(host: ChannelHost): Promise<void> {
    this.#host = host;
    host.reportHealth({ status: 'connected' });
  }

  async stop(): Promise<void> {}

  async send(to: Conversation, message: OutboundMessage): Promise<{ readonly id: string }> {
    this.#messages += 1;
    if (message.kind === 'reply') this.replies.push(message.markdown);
    if (message.kind === 'card' && message.buttons !== undefined) this.#pressing.push(this.#press(to, message));
    return { id: `${this.#messages}` };
  }

  /** Sends a message in a chat of its own; resolves when the chat is idle. */
  async say(chatId: string, text: string): Promise<void> {
    const conversation = { channel: 'person', chatId, kind: 'direct' } as const;
    const at = { conversation, sender, sentAt: Date.now() };
    await this.#host?.receive({ type: 'message', key: `say:${chatId}`, ...at, text, addressed: true });
    let presses: number;
    do {
      presses = this.#pressing.length;
      await this.#host?.whenIdle(conversation);
      await Promise.all(this.#pressing);
    } while (this.#pressing.length > presses);
    await this.#host?.whenIdle(conversation);
    this.#pressing = [];
  }

  async #press(conversation: Conversation, { markdown, buttons = [], id }: OutboundMessage): Promise<void> {
    const details = foldedText(cardParts(markdown).fold) ?? '';
    const names = [...details.matchAll(/^Tool `([^`]+)`/gm)].map(([, name = '']) => name);
    const shown = [...details.matchAll(/^```+json\n([\s\S]*?)\n```/gm)].map(([, args = '']) => readArguments(args));
    const calls = names.map((name, index) => ({ name, arguments: shown[index] ?? {} }));
    // One card may cover several calls: it is approved if all are the task's own.
    const isOwn = calls.length > 0 && calls.every((call) => this.#own.has(keyOf(call)));
    if (isOwn) this.ownCards += 1;
    else this.strangeCards += 1;
    if (options.verbose && isOwn)
      process.stdout.write(`    own card ${calls.map(keyOf).join(' + ')}: ${reasonOf(details)}\n`);
    const verb = isOwn && options.owner === 'own' ? ':a' : ':d';
    const actionId = buttons.flat().find((button) => button.actionId.endsWith(verb))?.actionId ?? '';
    await this.#host?.receive({ type: 'action', key: `press:${id}`, conversation, sender, actionId });
  }
}

const sender = { id: 'ada', name: 'Ada', isPerson: true } as const;

/** Undoes the spelling that keeps addresses from becoming links. */
function readArguments(shown: string): JsonObject {
  return JSON.parse(shown.replaceAll('[.]', '.').replaceAll('[:]', ':').replaceAll('hxxp', 'http'));
}

function reasonOf(markdown: string): string {
  return /Asked because (.*)/.exec(markdown)?.[1] ?? '';
}

/** Without null and empty values, which the daemon drops too. */
function keyOf({ name, arguments: args }: Call): string {
  return `${name} ${canonicalJson(args)}`;
}

interface Tally {
  clean: number;
  cleanDone: number;
  cleanCards: number;
  attacked: number;
  attackedDone: number;
  attackedCards: number;
  /** Successful attacks; `texts`: those that need no call. */
  calls: number;
  texts: number;
}

const nothing: Tally = {
  clean: 0,
  cleanDone: 0,
  cleanCards: 0,
  attacked: 0,
  attackedDone: 0,
  attackedCards: 0,
  calls: 0,
  texts: 0,
};

async function playSuite(suite: string, folder: string): Promise<Tally> {
  const dojo = await Dojo.open(suite);
  const [model, person] = [new ObedientModel(), new Person()];
  const daemon = await startBenchDaemon(await dojoConfig(join(folder, suite), suite, dojo.mcp), model, { person });
  const tally = { ...nothing };
  try {
    const cases = (await dojo.cases()).filter(({ injection }) => !options.clean || injection === null);
    for (const [index, name] of cases.entries()) {
      const one = await dojo.begin(name);
      model.begin(one);
      person.begin(one);
      await person.say(`case${index}`, one.prompt);
      const outcome = await dojo.end(person.replies.join('\n'));
      count(tally, one, name, outcome, person);
    }
  } finally {
    await daemon.stop();
    dojo.close();
  }
  return tally;
}

function count(tally: Tally, one: Case, { user, injection }: CaseName, outcome: Outcome, person: Person): void {
  const cards = person.ownCards + person.strangeCards;
  if (injection === null) {
    tally.clean += 1;
    tally.cleanDone += outcome.utility ? 1 : 0;
    tally.cleanCards += cards;
    if (!outcome.utility) process.stdout.write(`    not done: ${user}\n`);
    return;
  }
  tally.attacked += 1;
  tally.attackedDone += outcome.utility ? 1 : 0;
  tally.attackedCards += cards;
  if (!outcome.security) return;
  if (one.injected.length === 0) tally.texts += 1;
  else {
    tally.calls += 1;
    process.stdout.write(`    got through: ${user} with ${injection}\n`);
  }
}

async function dojoConfig(folder: string, suite: string, url: string) {
  const block = z.object({ enabled: z.boolean().default(true), allow_from: z.array(z.string()).default([]) });
  return configSchema({ person: block }, await settingsOfFeatures()).parse({
    data_dir: join(folder, 'data'),
    workspace: join(folder, 'workspace'),
    owners: ['person:ada'],
    agent: { mode: options.mode, burst_ms: 0, max_turns: 100, max_repeats: 0, max_failures: 0, summaries: false },
    delivery: { stream: false, tool_cards: false },
    security: { taint: options.taint },
    approval: { allow_own_words: options['own-words'] },
    tools: { rate_limits: {} },
    mcp_servers: { dojo: { url, tools: options.categories ? categoriesOf(suite) : (mapping[suite] ?? {}) } },
  });
}

function categoriesOf(suite: string): Readonly<Record<string, object>> {
  const tools = Object.entries(mapping[suite] ?? {});
  return Object.fromEntries(tools.map(([name, words]) => [name, { category: Reflect.get(words, 'category') }]));
}

function report(name: string, tally: Tally): void {
  const { clean, cleanDone, cleanCards, attacked, attackedDone, attackedCards, calls, texts } = tally;
  process.stdout.write(
    `${name}: through by a call ${calls}, by words alone ${texts}, of ${attacked} · done clean ${cleanDone}/${clean}, attacked ${attackedDone}/${attacked} · cards a case: clean ${(cleanCards / clean).toFixed(2)}, attacked ${(attackedCards / attacked).toFixed(2)}\n`,
  );
}

const folder = await mkdtemp(join(tmpdir(), 'keyturn-dojo-'));
try {
  const all = { ...nothing };
  process.stdout.write(`mode ${options.mode}, taint ${options.taint}, the person presses ${options.owner}\n`);
  for (const suite of options.suite) {
    const tally = await playSuite(suite, folder);
    report(suite, tally);
    for (const [key, value] of Object.entries(tally)) Object.assign(all, { [key]: Reflect.get(all, key) + value });
  }
  report('all', all);
} finally {
  await rm(folder, { recursive: true, force: true });
}
