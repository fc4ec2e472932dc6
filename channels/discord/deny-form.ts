import { ComponentType, InteractionResponseType, TextInputStyle } from 'discord-api-types/v10';
import { isJsonObject } from '../../src/lib/json.ts';
import type { FirstAnswer } from './incoming/callbacks.ts';

/** Before the action of a button whose press asks for words first. */
const asking = 'ask:';
/** Before the action that a form leads to. */
const filled = 'modal:';
const heading = 'Why not?';
const mostCharacters = 500;
const longestId = 100;

/** What a button is called whose press asks for words before it does this. */
export function askingFor(actionId: string): string {
  return `${asking}${actionId}`;
}

/** The form that a press of this button asks for. Undefined if it asks for none. */
export function formFor(customId: string): FirstAnswer | undefined {
  if (!customId.startsWith(asking)) return undefined;
  const formId = `${filled}${customId.slice(asking.length)}`;
  if (formId.length > longestId) return undefined;
  const component = {
    type: ComponentType.TextInput,
    custom_id: 'reason',
    style: TextInputStyle.Paragraph,
    required: false,
    max_length: mostCharacters,
    placeholder: 'The assistant reads this. You may leave it empty.',
  };
  return {
    type: InteractionResponseType.Modal,
    data: {
      custom_id: formId,
      title: heading,
      components: [{ type: ComponentType.Label, label: 'Reason', component }],
    },
  };
}

/** The action that the form leads to. Undefined if it is none of ours. */
export function actionOfForm(formId: string): string | undefined {
  return formId.startsWith(filled) ? formId.slice(filled.length) : undefined;
}

/** What the person has written, wherever it lies in what the form has sent. */
export function wordsIn(components: unknown): string {
  return valuesIn(components, 0).join('\n').slice(0, mostCharacters).toWellFormed();
}

const deepest = 3;

function valuesIn(part: unknown, depth: number): readonly string[] {
  if (depth > deepest) return [];
  if (Array.isArray(part)) return part.flatMap((component: unknown) => valuesIn(component, depth));
  if (!isJsonObject(part)) return [];
  const { type, value, component, components } = part;
  if (type === ComponentType.TextInput && typeof value === 'string') return [value];
  return [...valuesIn(component, depth + 1), ...valuesIn(components, depth + 1)];
}
