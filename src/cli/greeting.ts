/** What a newcomer has to know. */
export interface GreetingFacts {
  readonly version: string;
  readonly configPath: string;
  readonly hasConfig: boolean;
  readonly model: string;
  readonly isOffline: boolean;
  readonly why: string;
  readonly workspace: string;
  readonly channels: readonly string[];
  readonly policy: string;
  /** Set while nobody owns this Keyturn, and a channel runs on which somebody can claim it. */
  readonly claimCode?: string;
  readonly isAtTerminal: boolean;
  readonly warnings: readonly string[];
}

/** The first lines that are printed: what runs, where to chat, and the one next thing to do. */
export function greeting(facts: GreetingFacts): string {
  const lines = [
    `Keyturn ${facts.version}`,
    `  model      ${facts.model} (${facts.why})`,
    `  chat       ${facts.channels.join(', ')}`,
    `  files      ${facts.workspace}`,
    `  approval   ${facts.policy}`,
    `  config     ${facts.configPath}${facts.hasConfig ? '' : ' (not there: these are the defaults)'}`,
    ...facts.warnings.map((warning) => `  warning    ${warning}`),
    '',
    ...nextThing(facts),
  ];
  return `${lines.join('\n')}\n`;
}

function nextThing({ claimCode, isOffline, isAtTerminal, channels }: GreetingFacts): readonly string[] {
  if (claimCode !== undefined) {
    return [
      `Next: write to your bot in ${channels.filter((name) => name !== 'terminal').join(' or ')}:  /claim ${claimCode}`,
      '',
    ];
  }
  if (isAtTerminal && isOffline) {
    return [
      'Next: type "list the files", or "run `date`" to see it ask you first. "help" shows more; ctrl-c ends it.',
      '',
    ];
  }
  if (isAtTerminal) return ['Next: say what you want done. /help shows the commands; ctrl-c ends it.', ''];
  return [];
}
