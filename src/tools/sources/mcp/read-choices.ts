import type { JsonObject } from '../../../lib/json.ts';
import type { Choice, FieldReader, FieldReading } from './field-reader.ts';

/** Reads one of the choices: its words, its number, or what the server calls it. */
export function readChoice(choices: readonly Choice[]): FieldReader {
  return {
    hint: '',
    read(answer) {
      const meant = choiceMeant(choices, answer);
      return meant === undefined
        ? { valid: false, why: 'That is none of the choices.' }
        : { valid: true, value: meant.value };
    },
  };
}

/** Reads several of them, between commas. */
export function readChoices(choices: readonly Choice[], { minItems, maxItems }: JsonObject): FieldReader {
  const least = typeof minItems === 'number' ? minItems : 0;
  const most = typeof maxItems === 'number' ? maxItems : choices.length;
  return {
    hint: `several of them, with commas between them${boundsWords(least, most, choices.length)}`,
    read: (answer) => readSeveral(choices, answer, { least, most }),
  };
}

interface Bounds {
  readonly least: number;
  readonly most: number;
}

function readSeveral(choices: readonly Choice[], answer: string, { least, most }: Bounds): FieldReading {
  const said = answer.split(/[,;]/).filter((part) => part.trim() !== '');
  const whole = choiceMeant(choices, answer);
  const meant = whole === undefined ? said.map((part) => choiceMeant(choices, part)) : [whole];
  const values = meant.flatMap((choice) => (choice === undefined ? [] : [String(choice.value)]));
  if (values.length < meant.length) return { valid: false, why: 'One of these is none of the choices.' };
  const chosen = [...new Set(values)];
  if (chosen.length < least) return { valid: false, why: `Choose at least ${least}.` };
  return chosen.length > most ? { valid: false, why: `Choose at most ${most}.` } : { valid: true, value: chosen };
}

function choiceMeant(choices: readonly Choice[], answer: string): Choice | undefined {
  const said = answer.trim().toLowerCase();
  const [, number] = /^(\d{1,3})[.)]?$/.exec(said) ?? [];
  return (
    choices.find(({ label }) => label.toLowerCase() === said) ??
    choices.find(({ value }) => String(value).toLowerCase() === said) ??
    (number === undefined ? undefined : choices[Number(number) - 1])
  );
}

function boundsWords(least: number, most: number, all: number): string {
  if (least > 0) return most < all ? `: ${least} to ${most}` : `: at least ${least}`;
  return most < all ? `: at most ${most}` : '';
}
