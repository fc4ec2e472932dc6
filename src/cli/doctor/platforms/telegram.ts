import { marked } from '../../../config/differences.ts';
import type { ConfigFacts } from '../../../daemon/local-socket/config-facts.ts';
import { sleep } from '../../../lib/clock.ts';
import { isJsonObject, type JsonObject, type JsonValue, valueAt } from '../../../lib/json.ts';
import { askDaemon } from '../../ask-daemon.ts';
import { UnansweredError } from '../../unanswered-error.ts';
import { ask, type CheckContext, channelSettings, fault, type Problem, type Seen, said } from '../check.ts';
import { faulty, refused, tokenOf, unreached } from './tokens.ts';
import { platformWords } from './words.ts';

const name = 'telegram';
const platform = 'Telegram';

/** How long it is waited for another program that asks for messages: it may rest after it was ended. In ms. */
const longWatch = 10_000;
const shortWatch = 5_000;
/** The Bot API tells a conflict up to 3 s late. */
const lateAnswer = 5_000;
const betweenLooks = 1_000;

/**
 * Whether the Bot API takes the token, whether the bot hears what the config wants it to hear, and whether something else takes
 * its messages. Takes none itself: without an offset, `getUpdates` confirms nothing. Where the Keyturn of this folder receives with
 * the token, it is not disturbed: it notices another one itself, and tells.
 */
export async function checkTelegram(context: CheckContext): Promise<Seen | undefined> {
  const settings = channelSettings(context, name);
  if (settings === undefined) return undefined;
  const api = `${settings.api_root}/bot${settings.token}`;
  const me = await ask(context, `${api}/getMe`);
  if (typeof me === 'function') return { name, state: tokenOf('?'), problems: [unreached(platform, me)] };
  if (me.status === 401 || me.status === 404)
    return { name, state: tokenOf('?'), problems: [refused(platform, String(me.status))] };
  const bot = valueAt(me.body, ['result']);
  if (me.status !== 200 || !isJsonObject(bot)) return { name, state: tokenOf('?'), problems: [faulty(platform, me)] };
  const problems = [...privacyProblems(bot, settings), ...(await receivingProblems(api, context))];
  return { name, state: tokenOf(`@${bot.username}`), problems };
}

/** What it hears of groups where it should hear everything. */
function privacyProblems(bot: JsonObject, { groups }: JsonObject): readonly Problem[] {
  const wanted = Object.entries(isJsonObject(groups) ? groups : {})
    .filter(([, group]) => isJsonObject(group) && group.require_mention === false)
    .map(([id]) => id);
  if (wanted.length === 0 || bot.can_read_all_group_messages !== false) return [];
  return [fault(said((language) => platformWords[language].privacyMode, { groups: wanted }))];
}

async function receivingProblems(api: string, context: CheckContext): Promise<readonly Problem[]> {
  if (await isOwnReceiving(context)) return [];
  const hooks = await webhookProblems(api, context);
  if (hooks.length > 0 || !(await isContested(api, context))) return hooks;
  return [fault(said((language) => platformWords[language].otherPoller, {}))];
}

async function webhookProblems(api: string, context: CheckContext): Promise<readonly Problem[]> {
  const hook = await ask(context, `${api}/getWebhookInfo`);
  const url = typeof hook === 'function' ? undefined : valueAt(hook.body, ['result', 'url']);
  if (typeof url !== 'string' || url === '') return [];
  // Its path may be a secret of the other program.
  const shown = URL.canParse(url) ? new URL(url).host : '?';
  return [fault(said((language) => platformWords[language].webhookSet, { url: shown }))];
}

/** Whether the Keyturn of this data folder receives with the same token. One that does not say is taken to. */
async function isOwnReceiving({ place, isRunning, loaded }: CheckContext): Promise<boolean> {
  if (!isRunning || loaded === undefined) return false;
  const asked = askDaemon<ConfigFacts>({ place, language: 'en' }, { request: 'config', fields: ['config'] });
  const held = await asked.catch((error: unknown) => {
    if (error instanceof UnansweredError) return undefined;
    throw error;
  });
  if (held === undefined) return true;
  const isOn = valueAt(held.config, ['channels', name, 'enabled']) === true;
  return isOn && tokenIn(held.config) === tokenIn(marked(loaded.config));
}

/** As marked. */
function tokenIn(config: JsonValue): JsonValue | undefined {
  return valueAt(config, ['channels', name, 'token']);
}

/**
 * Whether another program asks for messages. Of two that wait, the Bot API ends the older one: so does this with the other, and
 * that one, when it is back, with this. While messages are pending nobody has to wait: then one that is taken away shows it.
 */
async function isContested(api: string, context: CheckContext): Promise<boolean> {
  const { clock, isInHaste = false } = context;
  const until = clock.now() + (isInHaste ? shortWatch : longWatch);
  let pending: JsonValue | undefined;
  for (;;) {
    const left = until - clock.now();
    if (left <= 0) return false;
    const address = `${api}/getUpdates?timeout=${Math.ceil(left / 1000)}&limit=1`;
    const answer = await ask(context, address, { patience: left + lateAnswer });
    if (typeof answer === 'function') return false;
    if (answer.status === 409) return true;
    const first = valueAt(answer.body, ['result', 0]);
    const found = first === undefined ? undefined : valueAt(first, ['update_id']);
    if (pending !== undefined && found !== pending) return true;
    // It has waited in vain.
    if (found === undefined) return false;
    if (isLasting(first)) pending = found;
    await sleep(clock, betweenLooks);
  }
}

/** Telegram keeps a message for a day; a press of a button goes by itself. */
function isLasting(update: JsonValue | undefined): boolean {
  return isJsonObject(update) && update.message !== undefined;
}
