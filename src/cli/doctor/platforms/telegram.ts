import { isJsonObject, type JsonObject, valueAt } from '../../../lib/json.ts';
import { ask, type CheckContext, channelSettings, fault, type Problem, type Seen, said } from '../check.ts';
import { faulty, refused, tokenOf, unreached } from './tokens.ts';
import { platformWords } from './words.ts';

const name = 'telegram';
const platform = 'Telegram';

/** How long it is waited for another program that asks for messages, in s. */
const longestPoll = 3;

/**
 * Whether the Bot API takes the token, whether the bot hears what the config wants it to hear, and whether something else takes
 * its messages. Takes none itself: without an offset, `getUpdates` confirms nothing. While a Keyturn runs, it is left to that one.
 */
export async function checkTelegram(context: CheckContext): Promise<Seen | undefined> {
  const { isRunning } = context;
  const settings = channelSettings(context, name);
  if (settings === undefined) return undefined;
  const api = `${settings.api_root}/bot${settings.token}`;
  const me = await ask(context, `${api}/getMe`);
  if (typeof me === 'function') return { name, state: tokenOf('?'), problems: [unreached(platform, me)] };
  if (me.status === 401 || me.status === 404)
    return { name, state: tokenOf('?'), problems: [refused(platform, String(me.status))] };
  const bot = valueAt(me.body, ['result']);
  if (me.status !== 200 || !isJsonObject(bot)) return { name, state: tokenOf('?'), problems: [faulty(platform, me)] };
  const taken = isRunning ? [] : await whoElseTakes(api, context);
  return { name, state: tokenOf(`@${bot.username}`), problems: [...privacyProblems(bot, settings), ...taken] };
}

/** What it hears of groups where it should hear everything. */
function privacyProblems(bot: JsonObject, { groups }: JsonObject): readonly Problem[] {
  const wanted = Object.entries(isJsonObject(groups) ? groups : {})
    .filter(([, group]) => isJsonObject(group) && group.require_mention === false)
    .map(([id]) => id);
  if (wanted.length === 0 || bot.can_read_all_group_messages !== false) return [];
  return [fault(said((language) => platformWords[language].privacyMode, { groups: wanted }))];
}

async function whoElseTakes(api: string, context: CheckContext): Promise<readonly Problem[]> {
  const hook = await ask(context, `${api}/getWebhookInfo`);
  const url = typeof hook === 'function' ? undefined : valueAt(hook.body, ['result', 'url']);
  if (typeof url === 'string' && url !== '') {
    // Its path may be a secret of the other program.
    const shown = URL.canParse(url) ? new URL(url).host : '?';
    return [fault(said((language) => platformWords[language].webhookSet, { url: shown }))];
  }
  // Of two that wait, the Bot API ends the older one: another program that comes back ends this request.
  const updates = await ask(context, `${api}/getUpdates?timeout=${longestPoll}&limit=1`);
  if (typeof updates === 'function' || updates.status !== 409) return [];
  return [fault(said((language) => platformWords[language].otherPoller, {}))];
}
