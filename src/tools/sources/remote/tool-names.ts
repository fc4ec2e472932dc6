import { createHash } from 'node:crypto';

/** A tool of a device, as far as its name goes. */
export interface NamedTool {
  readonly device: { readonly id: string; readonly name: string };
  /** The device's name of it. */
  readonly tool: string;
}

/** Names longer than that are taken by no model. */
const longestName = 64;
const longestDevice = 24;
const markLength = 8;

/**
 * What the model calls the tools of one person's devices: as the device does; or `device__tool`, where several devices
 * have a tool of that name; or the same with a mark at its end that is made of both, where that could be another one of
 * them. A tool whose own name is taken by somebody else is left out. Each name belongs to one tool.
 */
export function nameTools<Tool extends NamedTool>(
  tools: readonly Tool[],
  isTaken: (name: string) => boolean,
): ReadonlyMap<string, Tool> {
  const plain = counted(tools.map(({ tool }) => tool));
  const long = counted(tools.flatMap((tool) => longName(tool) ?? []));
  const named = new Map<string, Tool>();
  for (const tool of tools.filter((one) => !isTaken(one.tool))) {
    const wanted = longName(tool);
    const isLongFree = wanted !== undefined && long.get(wanted) === 1 && !plain.has(wanted) && !isTaken(wanted);
    const name = plain.get(tool.tool) === 1 ? tool.tool : isLongFree ? wanted : markedName(tool);
    if (!named.has(name)) named.set(name, tool);
  }
  return named;
}

/** Whether the model may have been told of the tool by this name, whatever it is called now. */
export function mayBeCalled(tool: NamedTool, name: string): boolean {
  return name === tool.tool || name === longName(tool) || name === markedName(tool);
}

function counted(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Undefined where that would be too long. */
function longName({ device, tool }: NamedTool): string | undefined {
  const name = `${spelled(device.name)}__${tool}`;
  return name.length <= longestName ? name : undefined;
}

function markedName({ device, tool }: NamedTool): string {
  const mark = createHash('sha256').update(`${device.id}/${tool}`).digest('hex').slice(0, markLength);
  return `${`${spelled(device.name)}__${tool}`.slice(0, longestName - markLength - 1)}_${mark}`;
}

/** What a device is called, of characters that all models take, beginning with a letter. */
function spelled(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^a-zA-Z0-9-]+/g, '_')
    .replaceAll(/^[_-]+|[_-]+$/g, '')
    .slice(0, longestDevice);
  if (plain === '') return 'device';
  return /^[a-zA-Z]/.test(plain) ? plain : `device_${plain}`;
}
