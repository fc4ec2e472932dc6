import { mcpWords } from '../../../../src/features/mcp/words.ts';

/** What owners read of a server that is not connected. `why`: the source of a pattern. */
export function serverDown(name: string, why: string): RegExp {
  const [begin = '', end = ''] = mcpWords.en.isDown({ name, why: '|' }).split('|').map(escaped);
  return new RegExp(`${begin}${why}${end}`, 's');
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
