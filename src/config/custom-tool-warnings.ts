import { placeholdersIn } from '../tools/sources/custom/placeholders.ts';
import { parameterNames } from '../tools/sources/parameters.ts';
import type { Config } from './schema.ts';

/** What of custom tools is allowed, and hardly meant so. */
export function customToolWarnings({ custom_tools, tools }: Config): readonly string[] {
  return custom_tools.flatMap(({ command, parameters, env, timeout_secs }, index) => {
    const place = `custom_tools[${index}]`;
    const declared = parameterNames(parameters);
    const used = placeholdersIn(command).map(({ name }) => name);
    const idle = declared.filter((name) => !used.includes(name));
    const inVariables = Object.entries(env).filter(([, value]) =>
      placeholdersIn(value).some(({ name }) => declared.includes(name)),
    );
    return [
      ...idle.map(
        (name) => `${place}.parameters.${name}: the command does nothing with it; {{${name}}} would stand for it.`,
      ),
      ...inVariables.map(
        ([name]) => `${place}.env.${name}: only in the command are values filled in; here it stands as it is.`,
      ),
      ...(timeout_secs > tools.timeout_secs
        ? [`${place}.timeout_secs has no effect: tools.timeout_secs is shorter.`]
        : []),
    ];
  });
}
