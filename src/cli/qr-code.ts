import { encode } from 'uqr';

/** Modules of white around the code. Cameras find it with two; the standard asks for four. */
const quietZone = 2;

/** Black on white, whatever the colours of the terminal are: of the 256 colours, the last ones are fixed. */
const ink = '\u001b[38;5;16;48;5;231m';
const plain = '\u001b[0m';

/**
 * A QR code of this text for a terminal that knows colours, two rows of modules in a line. Undefined if it is wider than
 * `columns`.
 */
export function qrCode(text: string, columns: number): string | undefined {
  const { data, size } = encode(text, { ecc: 'L', border: quietZone });
  if (size > columns) return undefined;
  const lines = Array.from({ length: Math.ceil(size / 2) }, (_, line) => {
    const [upper = [], lower = []] = data.slice(line * 2, line * 2 + 2);
    return `${ink}${upper.map((isDark, at) => halfBlock(isDark, lower[at] === true)).join('')}${plain}`;
  });
  return lines.join('\n');
}

function halfBlock(isUpper: boolean, isLower: boolean): string {
  if (isUpper) return isLower ? '█' : '▀';
  return isLower ? '▄' : ' ';
}
