import { nearest } from '../../../lib/nearest.ts';
import { error, type ToolOutput } from '../../output.ts';

/** Somebody to whom work can be handed over, as the model is told of him. */
export interface KnownAgent {
  readonly name: string;
  readonly description: string;
}

/** The lines that tell a model whom it can choose. */
export function agentLines(agents: readonly KnownAgent[]): string {
  return agents.map(({ name, description }) => `${name}: ${description === '' ? 'an agent' : description}`).join('\n');
}

/** What is said where there is nobody of that name. */
export function noSuchAgent(name: string, agents: readonly KnownAgent[]): ToolOutput {
  const names = agents.map((agent) => agent.name);
  const meant = nearest(name, names);
  const hint = meant === undefined ? `There are: ${names.join(', ')}.` : `Do you mean ${meant}?`;
  return error(`There is no agent ${JSON.stringify(name.slice(0, 64))}. ${hint}`);
}
