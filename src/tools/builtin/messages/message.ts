import { z } from 'zod';
import { escapeMarkdown, inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { error, llmOnly, type ToolOutput } from '../../output.ts';
import { readableText } from '../../readable-text.ts';
import type { ToolRegistration } from '../../registry.ts';
import { cleanText, withoutTurns } from '../../text.ts';
import { defineTool, type Preparation, type Tool, type ToolScope } from '../../tool.ts';
import type { Address, AddressBook, Courier, MessageFate } from './courier.ts';
import { findAddress, nameOf } from './find-address.ts';

export interface MessageDependencies {
  readonly addresses: AddressBook;
  readonly courier: Courier;
}

const input = z.strictObject({
  to: z
    .string()
    .trim()
    .min(1)
    .max(300)
    .describe('The conversation: its id, as "telegram:-1001", its title, or the name of the person in it.'),
  text: readableText(16_000).describe('Markdown.'),
});

/**
 * Writes to another conversation. Where `to` leads is looked up before a person is asked, and again before it is sent: the
 * call is the one with the id.
 */
export function message(dependencies: MessageDependencies): ToolRegistration {
  const { name, category } = writing(dependencies, undefined);
  return { name, category, create: (scope) => lookingUp(dependencies, scope) };
}

function lookingUp(dependencies: MessageDependencies, scope: ToolScope): Tool {
  const tool = writing(dependencies, undefined);
  return {
    ...tool,
    async prepare(args): Promise<Preparation> {
      const preparation = await tool.prepare(args);
      if (!preparation.valid) return preparation;
      const { to, text } = input.parse(preparation.call.arguments);
      const reaches = (address: Address): boolean => dependencies.courier.reaches(address.channel);
      const known = await dependencies.addresses.addressesOf(scope.sender.principal);
      const found = findAddress(to, { known, reaches, from: scope });
      if (!found.found) return { valid: false, message: found.message };
      const { address } = found;
      return writing(dependencies, address).prepare({ to: address.id, text });
    },
  };
}

/** Without an address it can say what it is, and not be executed. */
function writing({ courier }: MessageDependencies, address: Address | undefined): Tool {
  return defineTool({
    name: 'message',
    displayName: 'Message',
    category: 'messaging',
    description:
      'Writes a message to another conversation. Use it only when the person asks you to tell somebody something elsewhere; what you say to the people here is your answer, not a message.',
    input,
    describeCall: ({ to, text }) =>
      `write to ${address === undefined ? '' : `${escapeMarkdown(nameOf(address))} `}(${inlineCode(oneLine(to, 100))}): ${escapeMarkdown(beginning(text))}`,
    facets: () => ({ leavesConversation: true }),
    async execute({ text }, { sender, signal }) {
      if (address === undefined) throw new Error('a message without an address was executed');
      const markdown = withSender(withoutTurns(cleanText(text)), address, sender);
      return report(await courier.send(address.id, markdown, signal), nameOf(address));
    },
  });
}

function beginning(text: string): string {
  const characters = Array.from(oneLine(text, 1000));
  return characters.length <= 200 ? characters.join('') : `${characters.slice(0, 200).join('')}…`;
}

/** Who reads it in another place has to know whose words they are. */
function withSender(text: string, { person }: Address, { principal, name }: ToolScope['sender']): string {
  if (person?.principal === principal) return text;
  return `*From ${escapeMarkdown(oneLine(name, 80))}, via Keyturn:*\n\n${text}`;
}

function report(fate: MessageFate, name: string): ToolOutput {
  switch (fate.type) {
    case 'delivered':
      return llmOnly(`Delivered to ${name}.`);
    case 'waiting':
      return llmOnly(`Stored: it will be delivered when ${name} can be reached. Do not send it again.`);
    case 'refused':
      return error(`Not delivered: the platform refuses it (${oneLine(fate.reason, 300)}).`);
    case 'unknown':
      return error(
        `Outcome unknown: it may have arrived at ${name}, and it is not sent again. Send it anew only if the person wants that.`,
      );
  }
}
