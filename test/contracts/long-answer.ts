const family = '👩‍👩‍👧‍👦';
const wordShape = /\bk\d{5}\b/g;
const wanted = 50_000;

/** A text of 50 kB with fences, tables, lists, quotes and emoji. Its words are numbered, and each is there once. */
export function longAnswer(): {
  readonly markdown: string;
  readonly words: readonly string[];
  readonly families: number;
} {
  const numbers = new Numbers();
  const chapters: string[] = [];
  for (let length = 0; length < wanted; length += chapters.at(-1)?.length ?? 0) chapters.push(chapter(numbers));
  const markdown = chapters.join('\n\n');
  return { markdown, words: wordsIn(markdown), families: countFamilies(markdown) };
}

/** The numbered words in a text, in their order. */
export function wordsIn(text: string): readonly string[] {
  return text.match(wordShape) ?? [];
}

/** How many emoji there are that take eleven units each. */
export function countFamilies(text: string): number {
  return text.split(family).length - 1;
}

class Numbers {
  #count = 0;

  words(count: number): string {
    return Array.from({ length: count }, () => this.#next()).join(' ');
  }

  #next(): string {
    this.#count += 1;
    return `k${String(this.#count).padStart(5, '0')}`;
  }
}

function chapter(numbers: Numbers): string {
  const lines = (count: number, line: () => string): string => Array.from({ length: count }, line).join('\n');
  return [
    `## ${numbers.words(3)}`,
    `${numbers.words(40)} ${family} **${numbers.words(5)}** ${family.repeat(20)}`,
    `\`\`\`ts\n${lines(40, () => `  const x = '${numbers.words(8)}'; // *not bold*`)}\n\`\`\``,
    `| a | b |\n|---|---|\n${lines(12, () => `| ${numbers.words(1)} | ${numbers.words(2)} |`)}`,
    lines(6, () => `- ${numbers.words(9)}\n  - ${numbers.words(4)}`),
    `> ${numbers.words(30)}`,
    numbers.words(300),
  ].join('\n\n');
}
