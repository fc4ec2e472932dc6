import { readFileSync } from 'node:fs';

/** Each line of the file is a config; the indented lines that follow it are what is said about it, to the letter. */
export function brokenConfigs(): readonly (readonly [config: string, faults: string])[] {
  const text = readFileSync(new URL('./broken-configs.txt', import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split(/\n(?! {4})/)
    .map((block) => {
      const [config = '', ...faults] = block.split('\n    ');
      return [config, faults.join('\n')] as const;
    });
}
