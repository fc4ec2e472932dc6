import { isJsonObject, valueAt } from '../../../lib/json.ts';
import { ask, type CheckContext, channelSettings, fault, type Seen, said } from '../check.ts';
import { faulty, refused, tokenOf, unreached } from './tokens.ts';
import { platformWords } from './words.ts';

const name = 'discord';
const platform = 'Discord';

/**
 * The flags of an application that may read the content of messages: with an approval of Discord's, or in fewer than 100 servers.
 * https://discord.com/developers/docs/resources/application#application-object-application-flags
 */
const contentFlags = (1 << 18) | (1 << 19);

/** Whether Discord takes the token, and whether the application may read messages. */
export async function checkDiscord(context: CheckContext): Promise<Seen | undefined> {
  const settings = channelSettings(context, name);
  if (settings === undefined) return undefined;
  const headers = { authorization: `Bot ${settings.token}` };
  const address = `${String(settings.api_url).replace(/\/+$/, '')}/v10/applications/@me`;
  const answer = await ask(context, address, { headers });
  if (typeof answer === 'function') return { name, state: tokenOf('?'), problems: [unreached(platform, answer)] };
  const { status, body } = answer;
  if (status === 401 || status === 403)
    return { name, state: tokenOf('?'), problems: [refused(platform, String(status))] };
  if (status !== 200 || !isJsonObject(body)) return { name, state: tokenOf('?'), problems: [faulty(platform, answer)] };
  const flags = Number(body.flags ?? 0);
  const mayRead = (flags & contentFlags) !== 0;
  return {
    name,
    state: tokenOf(String(valueAt(body, ['bot', 'username']) ?? body.name ?? '?')),
    problems: mayRead ? [] : [fault(said((language) => platformWords[language].intentMissing, {}))],
  };
}
