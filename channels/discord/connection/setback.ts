/** Why the bot can't be connected until the operator does something. The message tells him what. */
export class Setback extends Error {
  override readonly name = 'Setback';
}

const applications = 'discord.com/developers/applications → your application';

/** What to do about a token that Discord does not accept. */
export const tokenWords =
  'Discord does not accept the token: it was reset, or is not the token of a bot. ' +
  `Make a new one (${applications} → Bot → Reset Token), put it into channels.discord.token and start Keyturn again.`;

/** What to do where the bot may not read messages, and can't change that itself. */
export const contentWords =
  `Discord does not let the bot read messages. Switch that on: ${applications} → Bot → ` +
  'Privileged Gateway Intents → Message Content Intent. Then start Keyturn again.';

/** What has gone wrong for good where Discord closes a connection with this code; undefined for all others. */
export function finalWords(code: number): string | undefined {
  switch (code) {
    case 4004:
      return tokenWords;
    case 4014:
      return contentWords;
    case 4011:
      return 'The bot is in more servers than one connection can serve, which is 2,500. Let it leave some of them.';
    case 4010:
    case 4012:
    case 4013:
      return `Discord does not speak with this version of Keyturn any more (close code ${code}). Take a newer one.`;
    default:
      return undefined;
  }
}
