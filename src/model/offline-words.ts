import { escapeMarkdown, inlineCode } from '../lib/plain-text.ts';

const examples = [
  'list the files',
  'read notes.txt',
  'write hello to notes.txt',
  'replace hello with goodbye in notes.txt',
  'run `ls -la`',
  'remember that the bin is emptied on Friday',
  'remind me in 5 minutes to stand up',
];

const howToGetAModel = `To talk to a real model, set one of these and start me again: \`ANTHROPIC_API_KEY\`, \`OPENAI_API_KEY\` or \`GEMINI_API_KEY\`; or give a model in the config a \`base_url\` that speaks OpenAI's language, such as Ollama's.`;

const exampleList = examples.map((example) => `- ${inlineCode(example)}`).join('\n');

/** Says what stands in for a model here, and what it understands. */
export function helpWords(): string {
  return `Hello! I am the offline model: I match patterns and am no AI. I can still call the tools, so you can try everything around them. Say, for example:\n\n${exampleList}\n\n${howToGetAModel}`;
}

/** Says that something was not understood, and why: `that`, or the sentence itself where others were understood. */
export function unknownWords(what: string): string {
  return `I do not understand ${what}. No language model is set up; I only match a few patterns, such as:\n\n${exampleList}\n\n${howToGetAModel}`;
}

/** Says how to ask for a command where none was given. */
export function noCommandWords(): string {
  return `I cannot tell which command to run. Put it between two backticks: ${inlineCode('run `ls -la`')}`;
}

/** Says that there is no such command of Keyturn's, in one line. */
export function noSuchCommandWords(name: string): string {
  return `There is no command ${inlineCode(name)}. Send \`/help\` to see those that there are.`;
}

/** Says that a sentence was understood, but that its tool is not there. */
export function missingToolWords(name: string): string {
  return `That needs the tool ${inlineCode(name)}, which is not available here.`;
}

/** Says that a file came in. */
export function fileWords(file: string): string {
  return `I have received ${escapeMarkdown(file)}.`;
}
