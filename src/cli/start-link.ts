/* The link by which the operator becomes the owner: printed once a channel knows it, with a code for the camera of a phone. */

import type { StartLink } from '../contract.ts';
import type { Language } from '../lib/words.ts';
import { qrCode } from './qr-code.ts';
import { cliWords } from './words.ts';

/** A chat that has no owner yet. `command`: the claim with its code, as it is written there. */
export interface LinkFacts {
  readonly channel: string;
  readonly link: StartLink;
  readonly command: string;
}

/** A smaller terminal gets the link alone. */
const leastColumns = 40;

/** `columns`: how wide the terminal is; undefined if the output is none, or knows no colours. */
export function startLinkText(
  { channel, link: { url, sendsCode }, command }: LinkFacts,
  columns: number | undefined,
  language: Language,
): string {
  const say = cliWords[language];
  const words = sendsCode ? say.openLink({ channel, url }) : say.openLinkAndClaim({ channel, url, command });
  const code = columns === undefined || columns < leastColumns ? undefined : qrCode(url, columns);
  return code === undefined ? `${words}\n\n` : `${words}\n\n${code}\n\n`;
}
