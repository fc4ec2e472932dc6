import type { Workspace } from '../../tools/guard/workspace/workspace.ts';
import { WorkspaceError } from '../../tools/guard/workspace/workspace-error.ts';
import type { Copies } from './copies.ts';
import type { PlannedFile, UndoPlan } from './plan.ts';

/** What was done: the paths that are as they were, and those that could not be brought back. */
export interface PutBack {
  readonly done: readonly PlannedFile[];
  readonly failed: readonly PlannedFile[];
}

/**
 * Carries out a plan through the workspace's guard: removes files, then folders that are empty by then, then writes. A file
 * that was changed since the plan was made stays as it is.
 */
export async function putBack({ files }: UndoPlan, folder: Workspace, copies: Copies): Promise<PutBack> {
  const parts = { folder, copies };
  const steps = inOrder(files);
  const done: PlannedFile[] = [];
  const failed: PlannedFile[] = [];
  for (const { file, work } of steps) {
    const isDone = await attempt(() => work(file, parts));
    // The folder that a file replaces is only a part of that.
    if (work !== clear) (isDone ? done : failed).push(file);
  }
  return { done, failed };
}

interface PutBackParts {
  readonly folder: Workspace;
  readonly copies: Copies;
}

interface PutBackStep {
  readonly file: PlannedFile;
  readonly work: (file: PlannedFile, parts: PutBackParts) => Promise<boolean>;
}

function inOrder(files: readonly PlannedFile[]): readonly PutBackStep[] {
  const isFolder = ({ now }: PlannedFile): boolean => now?.type === 'directory';
  const removed = files.filter(({ step }) => step === 'remove');
  const written = files.filter(({ step }) => step === 'write');
  const folders = [
    ...removed.filter(isFolder).map((file) => ({ file, work: remove })),
    ...written.filter(isFolder).map((file) => ({ file, work: clear })),
  ];
  return [
    ...removed.filter((file) => !isFolder(file)).map((file) => ({ file, work: remove })),
    // The deepest first.
    ...folders.toSorted((one, other) => (one.file.path < other.file.path ? 1 : -1)),
    ...written.map((file) => ({ file, work: write })),
  ];
}

/** False if the guard refuses it, or the system does. */
async function attempt(work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof WorkspaceError) return false;
    throw cause;
  }
}

async function clear({ path }: PlannedFile, { folder }: PutBackParts): Promise<boolean> {
  await folder.remove(path);
  return true;
}

async function remove(file: PlannedFile, { folder }: PutBackParts): Promise<boolean> {
  if (!(await isAsPlanned(file, folder))) return false;
  await folder.remove(file.path);
  return true;
}

async function write(file: PlannedFile, { folder, copies }: PutBackParts): Promise<boolean> {
  const { path, before, now } = file;
  const content = before?.digest === undefined ? undefined : await copies.read(before.digest);
  if (before === undefined || content === undefined) return false;
  if (now?.type !== 'directory' && !(await isAsPlanned(file, folder))) return false;
  await folder.putBack(path, content, before.mode);
  return true;
}

async function isAsPlanned({ path, now }: PlannedFile, folder: Workspace): Promise<boolean> {
  const [found] = await folder.look([path], 0);
  if (now?.type === 'directory') return found?.state.type === 'directory';
  return found?.state.stamp === now?.stamp;
}
