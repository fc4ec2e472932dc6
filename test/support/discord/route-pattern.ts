/**
 * Whether the request is one of those that the pattern names: `*` for all, or a method and a path such as
 * `POST /channels/:channel/messages`, in which `*` and names with a colon stand for one part of it.
 */
export function matchesRoute(pattern: string, method: string, path: string): boolean {
  if (pattern === '*') return true;
  const [wantedMethod, wantedPath = ''] = pattern.split(' ');
  if (wantedMethod !== '*' && wantedMethod !== method) return false;
  return pathParts(wantedPath, path) !== undefined;
}

/** The parts of the path by their names in the template; undefined if it is another path. */
export function pathParts(template: string, path: string): Readonly<Record<string, string>> | undefined {
  const wanted = template.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const parts: Record<string, string> = {};
  for (const [index, name] of wanted.entries()) {
    const part = given[index] ?? '';
    if (name.startsWith(':') && part !== '') parts[name.slice(1)] = part;
    else if (name !== part && name !== '*') return undefined;
  }
  return parts;
}
