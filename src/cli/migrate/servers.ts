import { mayHoldSecret } from '../../config/last-good.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import type { FoundServer, Secret } from './findings.ts';
import { firstOf, type Gathering, idsOf, numberOf, wordOf } from './gathering.ts';
import { escaped, looksSecret, type Variables, variableOf } from './secrets.ts';
import { migrateWords } from './words.ts';

/** An MCP server as these programs write it: they name its keys much alike. */
export interface WrittenServer {
  readonly name: string;
  readonly written: JsonValue | undefined;
  readonly file: string;
  readonly variables: Variables;
}

/** The server as it can be taken; undefined if it has no place, which `left` then says. */
export function serverOf(
  { name: given, written, file, variables }: WrittenServer,
  gathered: Gathering,
): FoundServer | undefined {
  const name = given.replaceAll(/[^\w-]/g, '_').slice(0, 32);
  const place: Place = { name, file, variables, gathered, secrets: [], unset: [] };
  const [command, url] = [wordOf(firstOf(written, 'command')), wordOf(firstOf(written, 'url'))];
  const kind = wordOf(firstOf(written, 'type', 'transport'))?.toLowerCase();
  if (!isJsonObject(written) || (command === undefined && url === undefined) || name === '')
    return leaveServer(place, (language) => migrateWords[language].noServer);
  if (kind === 'sse') return leaveServer(place, (language) => migrateWords[language].sseServer);
  if (firstOf(written, 'auth', 'oauth') !== undefined && firstOf(written, 'auth') !== 'none')
    return leaveServer(place, (language) => migrateWords[language].oauthServer);
  if (gathered.servers.has(name))
    return leaveServer({ ...place, name: given }, (language) => migrateWords[language].sameServer({ name }));
  gathered.servers.add(name);
  const reach =
    command === undefined
      ? { url: keep(url ?? '', 'URL', place, isSecretAddress(url ?? '')), ...headersOf(written, place) }
      : processOf(command, written, place);
  const tools = toolsOf(written, place);
  const seconds = numberOf(
    firstOf(written, 'timeout_secs', 'tool_timeout', 'toolTimeout', 'tool_timeout_secs', 'timeout'),
  );
  const isOff = firstOf(written, 'enabled') === false || firstOf(written, 'disabled') === true;
  const unset = place.unset[0];
  if (unset !== undefined)
    place.gathered.left.push({
      what: `mcp: ${name}`,
      file,
      why: (language) => migrateWords[language].serverOff({ name: unset }),
    });
  const settings = {
    ...(isOff || unset !== undefined || tools === 'unclear' ? { enabled: false } : {}),
    ...reach,
    ...(seconds !== undefined && seconds >= 1 && seconds <= 3600 ? { timeout_secs: Math.round(seconds) } : {}),
    ...(tools === 'unclear' || Object.keys(tools).length === 0 ? {} : { tools }),
  };
  return { name, file, settings, secrets: place.secrets };
}

interface Place {
  readonly name: string;
  readonly file: string;
  readonly variables: Variables;
  readonly gathered: Gathering;
  readonly secrets: Secret[];
  /** Variables that nobody has set. */
  readonly unset: string[];
}

function leaveServer({ name, file, gathered }: Place, why: Gathering['left'][number]['why']): undefined {
  gathered.left.push({ what: `mcp: ${name}`, file, why });
}

function processOf(command: string, written: JsonObject, place: Place): JsonObject {
  const args = (Array.isArray(written.args) ? written.args : []).map(String);
  const started = startedBy(command, args);
  const kept = args.map((arg, index) =>
    keep(arg, `ARG_${index + 1}`, place, index > started && isSecretArg(args, index)),
  );
  const folder = wordOf(firstOf(written, 'cwd'));
  const env = Object.entries(isJsonObject(written.env) ? written.env : {});
  const variables = env
    .filter(([key]) => /^[A-Za-z_]\w*$/.test(key))
    .map(([key, value]) => [key, keep(String(value), key, place, looksSecret(key, String(value)))] as const);
  return {
    command: keep(command, 'COMMAND', place, mayHoldSecret(['command'], command)),
    ...(kept.length === 0 ? {} : { args: kept }),
    ...(variables.length === 0 ? {} : { env: Object.fromEntries(variables) }),
    ...(folder === undefined ? {} : { cwd: keep(folder, 'CWD', place, looksSecret('', folder)) }),
  };
}

/** Where, among the words after a launcher, the package stands that it runs: so far, none is a secret. -1: nowhere. */
function startedBy(command: string, args: readonly string[]): number {
  if (!/(?:^|[\\/])(?:npx|npm|pnpm|yarn|bunx?|deno|uvx?|pipx|node|python3?|docker|podman)(?:\.\w+)?$/.test(command))
    return -1;
  const first = args.findIndex(
    (arg) => !/^(?:-y|--yes|-q|--quiet|-m|-i|--rm|-p|--package|--from|run|exec|dlx)$/.test(arg),
  );
  const isPackage = /^(?:@[\w.-]+\/)?[a-z][\w./-]*(?:@[\w.-]+)?$/i.test(args[first] ?? '');
  return isPackage ? first : first - 1;
}

/** Rather too many: it works as well as a variable. */
function isSecretArg(args: readonly string[], index: number): boolean {
  const arg = args[index] ?? '';
  if (/^(?:true|false|\d{1,5}|--?[a-z][a-z-]*|)$/i.test(arg)) return looksSecret('', arg);
  return looksSecret(`${args[index - 1] ?? ''} ${arg}`, arg) || mayHoldSecret(['args', index], arg);
}

function isSecretAddress(url: string): boolean {
  return mayHoldSecret(['url'], url) || /\/\/[^/?#]*@/.test(url);
}

function headersOf(written: JsonObject, place: Place): JsonObject {
  const headers = Object.entries(isJsonObject(written.headers) ? written.headers : {}).map(
    ([key, value]) => [key, keep(String(value), key, place, looksSecret('auth', String(value)))] as const,
  );
  return headers.length === 0 ? {} : { headers: Object.fromEntries(headers) };
}

/** The value as it may stand in the config: a secret becomes a variable, and so does what is made of theirs. */
function keep(value: string, key: string, place: Place, isSecret: boolean): string {
  const reference = /\$\{(?:env:)?([A-Za-z_]\w*)\}/g;
  const names = [...value.matchAll(reference)].map(([, name = '']) => name);
  const unset = names.filter((name) => !variableOf(place.variables, name));
  place.unset.push(...unset);
  const whole = value.replaceAll(reference, (_all, name: string) => variableOf(place.variables, name) ?? '');
  if (names.length === 0 && !isSecret) return escaped(value);
  const wanted = `MCP_${place.name}_${key}`.toUpperCase().replaceAll(/\W+/g, '_');
  const isKnown = unset.length === 0 && whole !== '';
  const variable = freeVariable(wanted, isKnown ? whole : undefined, place.gathered);
  if (isKnown) place.secrets.push({ variable, value: whole });
  return `\${${variable}}`;
}

/** The variable, with a number after it if it stands for something else: of `a-b` and `a_b`, it would be the same. */
function freeVariable(wanted: string, value: string | undefined, { given }: Gathering): string {
  const isFree = (name: string): boolean => !given.has(name) || (value !== undefined && given.get(name) === value);
  let name = wanted;
  for (let count = 2; !isFree(name); count += 1) name = `${wanted}_${count}`;
  given.set(name, value);
  return name;
}

/** Which of its tools the model knows: who had fewer has no more now. `unclear`: this cannot be said. */
function toolsOf(written: JsonObject, { name, file, gathered }: Place): JsonObject | 'unclear' {
  const filter = firstOf(written, 'tools');
  const only = firstOf(written, 'enabledTools', 'enabled_tools') ?? firstOf(filter, 'include', 'allow');
  const not = idsOf(firstOf(written, 'disabledTools', 'disabled_tools') ?? firstOf(filter, 'exclude', 'deny'));
  const some =
    only === undefined || idsOf(only).includes('*') ? undefined : idsOf(only).map((tool) => bareName(tool, name));
  const patterns = [...(some ?? []), ...not];
  if (patterns.some((pattern) => !/^\*?[\w.-]+\*?$/.test(pattern))) {
    gathered.left.push({ what: `mcp: ${name}`, file, why: (language) => migrateWords[language].unclearTools });
    return 'unclear';
  }
  return Object.fromEntries([
    ...(some === undefined ? [] : [['*', { enabled: false }] as const]),
    ...(some ?? []).map((tool) => [tool, { enabled: true }] as const),
    ...not.map((tool) => [tool, { enabled: false }] as const),
  ]);
}

/** Without the name that the program puts before it. */
function bareName(tool: string, server: string): string {
  return tool.startsWith(`mcp_${server}_`) ? tool.slice(`mcp_${server}_`.length) : tool;
}
