import { callVariable } from './process-family.ts';

export interface ChildEnvironmentRequest {
  /** By which its processes are known. */
  readonly callId: string;
  /** Variables of our environment that it may have besides the harmless ones. */
  readonly passedVariables?: readonly string[];
  /** Variables of its own. */
  readonly variables?: Readonly<Record<string, string>>;
}

const harmless = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TERM', 'TMPDIR', 'USER', 'SHELL', 'TZ'];

/** What of our environment a process may see, with what is its own and the mark of its call. None of our secrets. */
export function childEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  { callId, passedVariables = [], variables = {} }: ChildEnvironmentRequest,
): Readonly<Record<string, string>> {
  const passed = [...harmless, ...passedVariables].flatMap((name): [string, string][] => {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries([...passed, ...Object.entries(variables), [callVariable, callId]]);
}
