import { type Attempt, type Extension, ExtensionError, extension } from '../../extension-kit/extension.ts';
import type { IsForbidden } from '../../extension-kit/forbidden-places.ts';
import type { Trust, TrustSubject } from '../../feature-points.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import { type InLanguage, type Language, type Words, wordsIn } from '../../lib/words.ts';
import { registrationOf, type ToolSource } from '../../tools/registry.ts';
import { fingerprintFolder } from './folder-fingerprint.ts';
import { HookFailure } from './hooks.ts';
import { type FoundPlugin, type PluginToolManifest, readPlugin } from './plugin-manifest.ts';
import { type HookMethod, type PluginExecution, type PluginMeans, PluginRefusal } from './plugin-means.ts';
import { supervisedProgram } from './plugin-supervisor.ts';
import { pluginTool } from './plugin-tool.ts';
import { pluginWords } from './words.ts';

/** One plugin: on while its folder is exactly what an owner trusts. */
export interface InstalledPlugin {
  /** Where it was found. */
  readonly path: string;
  readonly name: string;
  /** Switches it on if an owner trusts it. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Lines of plain text for owners. */
  troubles(): readonly Words[];
  /** Asks it as a hook. Rejects with `HookFailure` if it is off, has no program, or gives no answer. */
  ask(event: JsonObject, signal: AbortSignal): Promise<JsonValue | undefined>;
}

export interface InstalledParts {
  readonly means: PluginMeans;
  readonly trust: Trust;
  readonly isForbidden: IsForbidden;
}

interface PluginState extends InstalledParts {
  readonly name: string;
  /** Where it is, without links. */
  readonly folder: string;
  readonly source: ToolSource;
  readonly isConfined: () => boolean;
  readonly one: Extension<FoundPlugin>;
  running: { readonly found: FoundPlugin; readonly execution: PluginExecution } | undefined;
}

export function installedPlugin(path: string, first: FoundPlugin, parts: InstalledParts): InstalledPlugin {
  const { means, trust, isForbidden } = parts;
  const { name } = first.manifest;
  const state: PluginState = {
    means,
    trust,
    isForbidden,
    name,
    folder: first.folder,
    source: { type: 'plugin', name },
    isConfined: () => means.bounds.isConfined(),
    one: extension(
      {
        noun: 'a plugin',
        fields: { plugin: name },
        title: (language) => pluginWords[language].title({ plugin: name }),
        on: (found, attempt) => switchOn(found, attempt, state),
        off: () => switchOff(state),
        subjectOf: (found) => subjectOf(found, state),
        // It may have changed since it was reviewed.
        decided: (isTrusted) => (isTrusted ? readAgain(state) : state.one.follow()),
      },
      { trust, core: means },
    ),
    running: undefined,
  };
  return {
    path,
    name,
    async start() {
      await state.one.read(async () => first);
      await state.one.start();
    },
    stop: () => state.one.stop(),
    troubles: () => state.one.troubles(),
    async ask(event, signal) {
      if (state.running === undefined) throw new HookFailure('the plugin is off');
      return askHook(state.running.execution, event, signal);
    },
  };
}

async function switchOn(found: FoundPlugin, attempt: Attempt, state: PluginState): Promise<void> {
  const { means, source, isConfined } = state;
  const { registry, readers } = means;
  const languageIn = (conversationId: string): Language => readers.forConversation(conversationId).language;
  const execution = await makeExecution(found, state);
  state.running = { found, execution };
  for (const tool of found.manifest.tools) {
    await attempt(async () => {
      if (registry.isTaken(tool.name))
        throw new ExtensionError((language) => pluginWords[language].toolTaken({ tool: tool.name }));
      registry.register(registrationOf(pluginTool(found, tool, execution, { isConfined, languageIn })), source);
    });
  }
  means.log.info({ plugin: state.name }, 'a plugin is on');
}

async function switchOff(state: PluginState): Promise<void> {
  const ended = state.running;
  state.running = undefined;
  state.means.registry.unregister(state.source);
  await ended?.execution.stop?.();
}

function readAgain({ one, folder, name, isForbidden }: PluginState): Promise<void> {
  return one.readAgain(async () => {
    const { plugin, faults } = await readPlugin(folder, isForbidden);
    if (plugin?.manifest.name === name) return plugin;
    throw new ExtensionError((language) => {
      const words = pluginWords[language];
      return faults.length > 0
        ? words.unusable({ faults: faults.map((fault) => wordsIn(language, fault)) })
        : words.gone;
    });
  });
}

async function makeExecution(found: FoundPlugin, state: PluginState): Promise<PluginExecution> {
  const { means } = state;
  /** Called before each start, so that only what an owner trusts runs. */
  const verifyIt = (): Promise<void> => verify(found, state);
  const { binary } = found.manifest;
  if (binary?.long_lived) return supervisedProgram(found, means, { verify: verifyIt, gaveUp: () => gaveUp(state) });
  const { commandProgram, oneShotProgram } = await import('./call-programs.ts');
  return (binary === undefined ? commandProgram : oneShotProgram)(found, means, verifyIt);
}

async function verify(found: FoundPlugin, state: PluginState): Promise<void> {
  const now = await fingerprintOf(found.folder);
  if (state.running?.found !== found) throw new PluginRefusal('It is off by now.');
  if (now === found.fingerprint) return;
  void readAgain(state);
  throw new PluginRefusal(
    'Its folder has changed since an owner trusted it. It is off until an owner trusts it as it is now.',
  );
}

/** Undefined if the folder cannot be fingerprinted. */
async function fingerprintOf(folder: string): Promise<string | undefined> {
  try {
    return (await fingerprintFolder(folder)).fingerprint;
  } catch (cause) {
    if (cause instanceof ExtensionError) return undefined;
    throw cause;
  }
}

function gaveUp({ means, name, one }: PluginState): void {
  means.log.error({ plugin: name }, 'a plugin is off: it has crashed too often');
  means.tellOwners((language) => {
    const words = pluginWords[language];
    return words.isOff({ plugin: inlineCode(name), why: words.gaveUp });
  });
  void one.giveUp((language) => pluginWords[language].gaveUp);
}

/** In ms. Longer than any hook may take: the signal ends it. */
const timeout = 86_400_000;

/** Asks a plugin as a hook; the method is the event's name. */
async function askHook(
  execution: PluginExecution,
  event: JsonObject,
  signal: AbortSignal,
): Promise<JsonValue | undefined> {
  const asked: HookMethod = event.event === 'after_tool_call' ? 'after_tool_call' : 'before_tool_call';
  const { channel, chat_id: chatId } = isJsonObject(event.conversation) ? event.conversation : {};
  const [callId, workspace] = [String(event.call_id), String(event.workspace)];
  const place = { channel: String(channel), chatId: String(chatId) };
  const context = { ...place, callId, workspace, signal, progress: () => {} };
  const outcome = await execution.execute({ asked, args: event, context, timeout });
  if (outcome.type !== 'answered')
    throw new HookFailure(`the plugin gave no answer: ${'why' in outcome ? outcome.why : 'it was ended before'}`);
  if (outcome.isError) throw new HookFailure(`the plugin answered with an error: ${outcome.output}`);
  return parseJson(outcome.output);
}

const mostToolsShown = 30;

function subjectOf(found: FoundPlugin, { name, isConfined }: PluginState): TrustSubject {
  return { kind: 'plugin', name, fingerprint: found.fingerprint, what: describePlugin(found, isConfined()) };
}

/** Describes a plugin and its tools in a few lines of markdown, for the owner who decides. */
function describePlugin({ folder, manifest, fileCount }: FoundPlugin, isConfined: boolean): InLanguage {
  const { name, version, description, author, tools, binary } = manifest;
  return (language) => {
    const words = pluginWords[language];
    return [
      words.about({
        plugin: escapeMarkdown(name),
        version: escapeMarkdown(oneLine(version, 64)),
        author: author === undefined ? undefined : escapeMarkdown(oneLine(author, 100)),
        description: escapeMarkdown(oneLine(description, 300)),
      }),
      words.tools({
        lines: tools.slice(0, mostToolsShown).map((tool) => toolLine(tool, language)),
        more: tools.length - mostToolsShown,
      }),
      '',
      words.place({
        folder: inlineCode(oneLine(folder, 300)),
        fileCount,
        program: binary && { path: inlineCode(oneLine(binary.path, 200)), isLongLived: binary.long_lived },
        isConfined,
      }),
    ].join('\n');
  };
}

function toolLine({ name, category, description, command }: PluginToolManifest, language: Language): string {
  return pluginWords[language].tool({
    tool: inlineCode(name),
    category,
    description: escapeMarkdown(oneLine(description, 200)),
    command: command.trim() === '' ? undefined : inlineCode(oneLine(command, 300)),
  });
}
