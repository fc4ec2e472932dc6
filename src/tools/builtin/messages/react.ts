import { z } from 'zod';
import { escapeMarkdown, oneLine, shortened } from '../../../lib/plain-text.ts';
import { readableText } from '../../arguments.ts';
import { type ChangeFate, type MessageChanges, reactorName, type WhyNotEdited } from '../../message-changes.ts';
import { error, llmOnly, type ToolOutput } from '../../output.ts';
import { cleanText, withoutTurns } from '../../text.ts';
import { type CallBody, defineBuiltin, type Tool, type ToolContext } from '../../tool.ts';
import { builtinWords } from '../words.ts';

const input = z
  .strictObject({
    emoji: z.string().trim().max(64).optional(),
    edit: readableText(16_000).or(z.literal('')).optional().describe('The whole new text.'),
  })
  .refine(({ emoji = '', edit = '' }) => emoji !== '' || edit !== '', 'give an emoji, or the new text in `edit`');

/** Reacts to the newest message of the person, and gives the last answer another text. */
export function react(changes: MessageChanges): Tool {
  return defineBuiltin({
    name: reactorName,
    displayName: (language) => builtinWords[language].names.react,
    category: 'memory',
    description: "Reacts to the person's newest message with an emoji, or edits your last answer here.",
    input,
    describeCall:
      ({ emoji = '', edit = '' }) =>
      (language) =>
        builtinWords[language].react({
          emoji: escapeMarkdown(oneLine(emoji, 64)),
          text: escapeMarkdown(shortened(oneLine(edit, 1000), 200)),
        }),
    body: ({ edit = '' }) => (edit.length <= longestTold ? undefined : bodyOf(edit)),
    facets: () => ({ repeatable: true }),
    async execute({ emoji = '', edit = '' }, context) {
      const reacted = emoji === '' ? undefined : reactionWords(await changes.react(emoji, context, context.signal));
      const edited = edit === '' ? undefined : await rewritten(edit, context, changes);
      return together(reacted, edited);
    },
  });
}

/** A longer text stands below the question, in characters. */
const longestTold = 120;

function bodyOf(text: string): CallBody {
  return { text, title: (language) => builtinWords[language].editBelow };
}

async function rewritten(text: string, context: ToolContext, changes: MessageChanges): Promise<ToolOutput> {
  const shown = context.asAnswer(withoutTurns(cleanText(text)));
  return editWords(await changes.edit(shown, context, context.signal));
}

/** Both were wanted: the model hears of both. */
function together(reacted: ToolOutput | undefined, edited: ToolOutput | undefined): ToolOutput {
  const all = [reacted, edited].filter((one) => one !== undefined);
  const words = all.map(({ forLlm }) => forLlm).join('\n');
  return all.some(({ isError }) => isError) ? error(words) : llmOnly(`${words} If that is all, say nothing more.`);
}

function reactionWords(fate: ChangeFate): ToolOutput {
  switch (fate.type) {
    case 'done':
      return llmOnly(`They see ${fate.reaction ?? 'it'} at their message.`);
    case 'none':
      return error('There is no message here that can be reacted to. Say it in your answer.');
    case 'unable':
    case 'not-editable':
    case 'too-long':
      return error('This channel has no reactions. Say it in your answer.');
    case 'failed':
      return error(`No reaction was set: ${oneLine(fate.reason, 600)}`);
  }
}

function editWords(fate: ChangeFate): ToolOutput {
  switch (fate.type) {
    case 'done':
      return llmOnly('Your last answer has the new text; no device rings for it.');
    case 'none':
      return error(
        'There is no answer of yours here that can be edited: only the last one, of one message, for 48 hours. Answer anew.',
      );
    case 'not-editable':
      return error(
        `Your last answer here cannot be edited, and an older one is not: ${whyNot[fate.why]}. Answer anew.`,
      );
    case 'unable':
      return error('On this channel, nothing can be edited. Answer anew.');
    case 'too-long':
      return error('The text needs more than one message, and was not changed. Make it shorter, or answer anew.');
    case 'failed':
      return error(`The answer is as it was: ${oneLine(fate.reason, 600)} Answer anew.`);
  }
}

const whyNot: Readonly<Record<WhyNotEdited, string>> = {
  'somebody-else': 'it was given to somebody else',
  waiting: 'it is not delivered yet',
  undelivered: 'it was not delivered, and they have not read it',
  interrupted: 'it was interrupted',
  private: 'one person alone sees it',
  files: 'it has files',
  parts: 'it is several messages',
};
