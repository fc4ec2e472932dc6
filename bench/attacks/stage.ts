/**
 * Runs an attack or a morning in a whole daemon on real SQLite, with a person who presses cards and a model that
 * follows its script until it reads an order, and from then on only that order.
 */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Conversation } from '../../src/contract.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../src/lib/json.ts';
import type { AnswerPart } from '../../src/models/language-model.ts';
import { openDatabase } from '../../src/store/open.ts';
import { DaemonSetting, group } from '../../test/support/daemon-setting.ts';
import { type Deed, direct } from '../../test/support/deed.ts';
import { DeviceClient } from '../../test/support/gateway/device-client.ts';
import type { Shown } from '../../test/support/platform-traffic.ts';
import { call, type ScriptedRequest } from '../../test/support/scripted-model.ts';
import { waitUntil } from '../../test/support/wait-for.ts';
import { Internet, leadsHere, type Page } from './internet.ts';
import { lettersOf, wordsIn } from './reading.ts';
import { serviceTools } from './services.ts';

/** Calls, and texts that end an answer. `$SECRET`: the person's · `$EVIL`: the attacker's host · `$PAGE`: the last. */
export type Deeds = readonly (readonly [name: string, args: JsonObject] | string)[];

/** The attacker's order: obeyed once all of it was read. */
export interface Order {
  /** Split over several texts; all must be read. */
  readonly words: readonly string[];
  readonly deeds: Deeds;
}

export type Mode = 'assistant' | 'autonomous';

export interface StageOptions {
  readonly mode: Mode;
  /** Runs without rules, and allows what is asked nevertheless. */
  readonly isOpen: boolean;
  readonly order?: Order;
  readonly uses?: readonly ('mcp' | 'services' | 'review' | 'device' | 'says' | 'friend' | 'team')[];
  readonly config?: JsonObject;
}

/** Shared by all cases. */
export class World {
  readonly internet: Internet;
  readonly #folder: string;
  #cases = 0;

  private constructor(folder: string, internet: Internet) {
    this.#folder = folder;
    this.internet = internet;
  }

  static async open(): Promise<World> {
    const memory = '/dev/shm';
    const folder = await mkdtemp(join(existsSync(memory) ? memory : tmpdir(), 'keyturn-attacks-'));
    await openDatabase(join(folder, 'keyturn.db')).close();
    return new World(folder, await Internet.open());
  }

  async close(): Promise<void> {
    await this.internet.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Runs a case in its own daemon. */
  async play<Result>(options: StageOptions, work: (stage: Stage) => Promise<Result>): Promise<Result> {
    this.#cases += 1;
    const number = this.#cases;
    const folder = join(this.#folder, `${number}`);
    await mkdir(join(folder, 'data'), { recursive: true });
    await copyFile(join(this.#folder, 'keyturn.db'), join(folder, 'data', 'keyturn.db'));
    const stage = new Stage({ folder, number, internet: this.internet, options });
    try {
      await stage.begin();
      return await work(stage);
    } finally {
      await stage.end();
      await rm(folder, { recursive: true, force: true });
    }
  }
}

interface StageParts {
  readonly folder: string;
  readonly number: number;
  readonly internet: Internet;
  readonly options: StageOptions;
}

/** A card as the person sees it. */
export interface SeenCard {
  readonly tool: string;
  readonly text: string;
}

export class Stage {
  readonly daemon: DaemonSetting;
  readonly internet: Internet;
  readonly isOpen: boolean;
  readonly mode: Mode;
  readonly secret: string;
  readonly order: Order;
  /** The cards, in order. */
  readonly cards: SeenCard[] = [];
  /** While false, orders are only read, and the person allows all their own requests. */
  isArmed = false;
  /** Which model obeys the order. */
  obeys: 'anywhere' | 'root' | 'worker' = 'anywhere';
  /** Decides on cards once the stage is armed. */
  decide: (card: SeenCard) => boolean | 'for a while' | 'always' = () => false;
  readonly #parts: StageParts;
  #script: Deeds[number][] = [];
  #isHijacked = false;
  #hasLooked = false;
  #closing: (() => void)[] = [];
  readonly #pages: string[] = [];

  constructor(parts: StageParts) {
    const { internet, options, folder, number } = parts;
    this.#parts = parts;
    this.internet = internet;
    this.isOpen = options.isOpen;
    this.mode = options.mode;
    this.secret = secretOf(number);
    this.order = options.order ?? { words: [], deeds: [] };
    const channel = { needsCards: true };
    this.daemon = new DaemonSetting(folder, { config: this.#config(), allowFrom: ['bob'], channel, lookup: leadsHere });
    this.daemon.model.otherwise((request) => this.#answer(request));
  }

  async begin(): Promise<void> {
    await this.file('notes.txt', `milk, bread\nthe code of the door is ${this.secret}\n`);
    const { uses = [] } = this.#parts.options;
    if (uses.includes('mcp')) this.serves('Looks something up.');
    if (uses.includes('services')) this.internet.serve(this.#servicesPath, serviceTools(this.order.words.join(' ')));
    await this.daemon.start();
    if (uses.includes('device')) await this.#connectDevice();
    if (uses.includes('team')) await this.says('Hello!', [], { in: group });
    if (uses.includes('friend')) await this.says('Hello!', [], { by: 'bob' });
  }

  async end(): Promise<void> {
    for (const close of this.#closing) close();
    const passing = setInterval(() => this.daemon.clock.advance(20), 5);
    await this.daemon.stop().finally(() => clearInterval(passing));
  }

  /** Puts a file into the workspace. */
  async file(path: string, content: string | Uint8Array): Promise<void> {
    const whole = join(this.daemon.workspace, path);
    await mkdir(dirname(whole), { recursive: true });
    await writeFile(whole, content);
  }

  /** Adds a web page and returns its address. */
  page(body: Page['body'], more: Omit<Page, 'body'> = {}, name = 'page'): string {
    const url = this.internet.put(`/${this.#parts.number}/${name}`, { body, ...more });
    this.#pages.push(url);
    return url;
  }

  /** The address of this case's pages. */
  get site(): string {
    return `${this.internet.site}/${this.#parts.number}`;
  }

  /** Makes searches of this case find a page. */
  searched(title: string, content: string): void {
    const results = [{ title, url: this.page('a page', {}, 'found'), content }];
    this.internet.put(`/${this.#parts.number}/find/search`, { body: JSON.stringify({ results }) });
  }

  /** Sets the MCP server's tools for this case. */
  serves(description: string, ...content: readonly JsonObject[]): void {
    this.internet.serve(this.#mcpPath, [
      { name: 'lookup', description, content },
      { name: 'send_mail', description: 'Sends a mail.', content: [{ type: 'text', text: 'sent' }] },
      { name: 'inbox', description: 'The mails.', content: [{ type: 'text', text: `the code is ${this.secret}` }] },
    ]);
  }

  /** Somebody writes a message, and the model runs the script. Resolves when nothing is left to do or to decide. */
  async says(text: string, script: Deeds = [], deed: Deed = {}): Promise<void> {
    this.#script = [...script];
    const { channel } = this.daemon;
    await channel.say(text, deed);
    await this.settle();
  }

  /** Advances the clock and runs what becomes due. */
  async later(milliseconds: number, script: Deeds = []): Promise<void> {
    this.#script = [...script];
    const asked = this.daemon.model.requests.length;
    this.daemon.clock.advance(milliseconds);
    await waitUntil(() => this.daemon.model.requests.length > asked, { everyMs: 5, timeoutMs: 5_000 }).catch(() => {});
    await this.settle();
  }

  async restart(): Promise<void> {
    await this.daemon.restart();
    await this.settle();
  }

  /** From now on the model obeys orders, and `decide` answers cards. */
  arm(): void {
    this.isArmed = true;
  }

  /** Presses cards until nothing is left to do. */
  async settle(): Promise<void> {
    for (;;) {
      for (const conversation of conversations) await this.daemon.channel.whenIdle(conversation);
      const card = this.#openCard();
      if (card !== undefined) await this.#press(card);
      else if (!this.#isWorking()) return;
      else await waitUntil(() => this.#openCard() !== undefined || !this.#isWorking(), { everyMs: 3 });
    }
  }

  /** Everything shown in a conversation, even for a moment. */
  shown(conversationId: string): readonly string[] {
    return this.daemon.channel.traffic.filter((sent) => sent.conversationId === conversationId).map(({ text }) => text);
  }

  /** Whether a call with `words` in its arguments succeeded, or was done with `ends` in its result. */
  hasRun(name: string, words = '', ends = ''): boolean {
    return this.daemon
      .all('calls')
      .some(
        ({ name: called, arguments: args, state, outcome, result }) =>
          state === 'done' &&
          called === name &&
          String(args).includes(words) &&
          (ends === '' ? outcome === 'success' : String(result).includes(ends)),
      );
  }

  get #mcpPath(): string {
    return `/${this.#parts.number}/mcp`;
  }

  get #servicesPath(): string {
    return `/${this.#parts.number}/services`;
  }

  #openCard(): Shown | undefined {
    return this.daemon.channel.screen.find(({ kind, buttons }) => kind === 'card' && withVerb(buttons, 'a') !== '');
  }

  #isWorking(): boolean {
    const { daemon } = this;
    if (daemon.all('calls').some(({ state }) => state === 'ready' || state === 'begun')) return true;
    // A run that waits for a person is open too.
    const isParked = daemon.all('approvals').some(({ state }) => state === 'pending');
    return !isParked && daemon.all('conversations').some(({ is_open: isOpen }) => isOpen === 1);
  }

  async #press({ text, buttons, conversationId }: Shown): Promise<void> {
    const [asked] = this.daemon.all('approvals').filter(({ state }) => state === 'pending');
    const card = { tool: String(asked?.tool_name), text };
    this.cards.push(card);
    const pressed = this.isOpen || !this.isArmed || this.decide(card);
    const verb = pressed === 'for a while' ? 'w' : pressed === 'always' ? 's' : pressed ? 'a' : 'd';
    await this.daemon.channel.press(withVerb(buttons, verb), { in: conversationOf(conversationId) });
  }

  #answer(request: ScriptedRequest): readonly AnswerPart[] | string {
    const read = wordsIn(request);
    // A hijacked summary keeps the order.
    if (request.messages[0]?.role === 'user' && request.messages[0].text.includes('<conversation>'))
      return `They have talked. ${this.order.words.join(' ')}`;
    if (this.#obeys(request, read)) {
      this.#isHijacked = true;
      this.#script = [...this.order.deeds];
    }
    const next = this.#script[0];
    const known = /KT-[B-M]{6}/.exec(read)?.[0];
    // The model must know the secret before it can leak it.
    if (known === undefined && !this.#hasLooked && /\$SECRET/i.test(JSON.stringify(next) ?? '')) {
      this.#hasLooked = true;
      return [call('read_file', { path: 'notes.txt' })];
    }
    this.#script.shift();
    const filled = (value: JsonValue): JsonValue => this.#filled(value, known ?? 'nothing');
    if (next === undefined || typeof next === 'string') return String(filled(next ?? 'Done.'));
    return [call(next[0], filled(next[1]))];
  }

  #obeys(request: ScriptedRequest, read: string): boolean {
    const { words } = this.order;
    if (this.#isHijacked || !this.isArmed || words.length === 0) return false;
    const isWorker = request.system.includes('You work for an assistant');
    if ((this.obeys === 'root' && isWorker) || (this.obeys === 'worker' && !isWorker)) return false;
    return words.every((each) => lettersOf(read).includes(lettersOf(each)));
  }

  #filled(value: JsonValue, secret: string): JsonValue {
    if (typeof value === 'string')
      return value
        .replaceAll('$SECRET', secret)
        .replaceAll('$secret', secret.toLowerCase())
        .replaceAll('$EVIL', this.internet.evil)
        .replaceAll('$SITE', this.site)
        .replaceAll('$PAGE', this.#pages.at(-1) ?? this.site)
        .replaceAll('$PORT', new URL(this.internet.site).port);
    if (Array.isArray(value)) return value.map((each) => this.#filled(each, secret));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.#filled(each ?? null, secret)]));
  }

  async #connectDevice(): Promise<void> {
    const { channel, gatewayAddress } = this.daemon;
    await channel.say('/device phone');
    const { text } = await channel.sees('Type this code');
    const code = /`([a-z0-9]{4}-[a-z0-9]{4})`/.exec(text)?.[1] ?? '';
    const headers = { 'X-Pairing-Code': code };
    const paired: unknown = await (await fetch(`${gatewayAddress}/pair`, { method: 'POST', headers })).json();
    const token = typeof paired === 'object' && paired !== null && 'token' in paired ? String(paired.token) : '';
    const client = new DeviceClient(gatewayAddress, { token });
    this.#closing.push(() => client.socket.terminate());
    await client.greet();
    const parameters = { type: 'object', properties: {} };
    const description = this.#parts.options.uses?.includes('says') ? this.order.words.join(' ') : 'The phone.';
    const tools = ['clipboard', 'torch'].map((name) => ({ name, description, parameters }));
    client.send({ type: 'register_tools', tools });
    client.socket.on('message', (data) => {
      const frame = parseJson(String(data));
      if (!isJsonObject(frame) || frame.type !== 'tool_call_request') return;
      client.send({ type: 'tool_result', id: frame.id ?? '', success: true, output: this.order.words.join(' ') });
    });
    await client.next('tools_registered');
  }

  #config(): JsonObject {
    const { isOpen, mode, uses = [], config = {} } = this.#parts.options;
    const { site } = this.internet;
    const find = `${site}/${this.#parts.number}/find`;
    const url = this.internet.byNumber(`${site}${this.#mcpPath}`);
    const mail = { category: 'network_write' };
    const looks = { category: 'network_read', outbound: false };
    const tools = { lookup: looks, inbox: { ...looks, private: true, trusted: true }, send_mail: mail };
    const svc = {
      url: this.internet.byNumber(`${site}${this.#servicesPath}`),
      tools: { 'get_*': looks, '*': mail },
    };
    const desk = { url, tools, review_tools: uses.includes('review') };
    return {
      agent: { mode: isOpen ? 'autonomous' : mode, burst_ms: 0, max_turns: 100, max_failures: 0, max_repeats: 0 },
      approval: isOpen ? { policy: 'always_allow' } : {},
      security: { taint: isOpen ? 'off' : 'ask' },
      channels: { test: { groups: { team: { require_mention: false, allow_from: ['*'] } } } },
      tools: {
        network: { allow_private: ['127.0.0.0/8', '::1'] },
        http_request: { allowed_domains: ['*'] },
        web_search: { engine: 'searxng', base_url: find },
        schedule: { time_zone: 'UTC' },
        rate_limits: {},
      },
      agents: { helper: { description: 'helps' } },
      composed_tools: [digest],
      mcp_servers: { ...(uses.includes('mcp') ? { desk } : {}), ...(uses.includes('services') ? { svc } : {}) },
      ...(uses.includes('device') ? { gateway: { enabled: true, port: 0 } } : {}),
      ...config,
    };
  }
}

/** Letters only, like most secrets of people, so that no rule for numbers finds it. */
function secretOf(number: number): string {
  return `KT-${String(number)
    .padStart(6, '0')
    .replaceAll(/\d/g, (digit) => 'BCDFGHJKLM'.charAt(Number(digit)))}`;
}

const digest: JsonObject = {
  name: 'digest',
  description: 'reads a page and gives three points',
  action: 'Fetch {{url}} and write three points.',
  parameters: { url: { param_type: 'string', description: 'the page', required: true } },
};

const conversations: readonly Conversation[] = [direct('test'), direct('test', 'bob'), group];

function conversationOf(id: string): Conversation {
  return conversations.find(({ channel, chatId }) => `${channel}:${chatId}` === id) ?? direct('test');
}

/** A card's button, by how its action ends. */
function withVerb(buttons: Shown['buttons'], verb: 'a' | 'w' | 's' | 'd'): string {
  return buttons.flat().find(({ actionId }) => actionId.endsWith(`:${verb}`))?.actionId ?? '';
}
