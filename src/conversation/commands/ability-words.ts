import type { LanguageModel, ModelAbilities } from '../../models/language-model.ts';

type AbilitiesOf = Pick<LanguageModel, 'abilities' | 'ownAbilities'>;

/** What is known of a model, and where from, in a line of plain text; empty if nothing is. */
export function abilityWords({ abilities, ownAbilities = abilities }: AbilitiesOf): string {
  const known = ownAbilities?.() ?? {};
  return [windowWords(known), toolWords(known), imageWords(known)].filter((words) => words !== '').join('; ');
}

function windowWords({ window, windowFrom, server = 'its server' }: ModelAbilities): string {
  if (window === undefined || windowFrom === undefined) return '';
  const sources = {
    config: 'the config',
    server,
    default: `usual for ${server}, until it has loaded the model`,
    refusal: 'as a refusal said',
    usage: 'as its counts show',
  };
  return `window ${window.toLocaleString('en')} tokens (${sources[windowFrom]})`;
}

function toolWords({ tools, toolsFrom, server = 'its server' }: ModelAbilities): string {
  if (tools === undefined || toolsFrom === undefined) return '';
  const sources = {
    config: 'the config',
    server,
    refusal: `${server} refuses others`,
    usage: `${server} ignores others`,
  };
  return `${tools ? 'native tool calls' : 'tool calls in text'} (${sources[toolsFrom]})`;
}

function imageWords({ images, imagesFrom, server = 'its server' }: ModelAbilities): string {
  if (images === undefined || imagesFrom === undefined) return '';
  return `${images ? 'sees pictures' : 'sees no pictures'} (${imagesFrom === 'config' ? 'the config' : server})`;
}
