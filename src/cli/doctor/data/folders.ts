/* Whether the folders that Keyturn writes to are where it may write, and on a disk that suits a database. */

import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type CheckContext, doubt, type FolderFacts, fault, type Problem, type Seen, said } from '../check.ts';
import { dataWords } from './words.ts';

/** File systems of other machines, on which locks of files do not hold well: by their numbers in statfs(2). */
const remote: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9p'],
  [0x564c, 'NCP'],
  [0x00c36400, 'Ceph'],
]);

const fewFiles = 1_000;

/** The data folder and the workspace, or where they will be made. */
export async function checkFolders(context: CheckContext): Promise<Seen> {
  const { dataFolder, loaded, folderFacts = factsOf } = context;
  const workspace = loaded?.config.workspace.replace(/[^/]*\{.*$/, '');
  const data = dataProblems(dataFolder, folderFacts(nearest(dataFolder)));
  const own = workspace === undefined ? [] : writeProblems(workspace, folderFacts(nearest(workspace)));
  return { name: 'folders', state: (language) => dataWords[language].writable, problems: [...data, ...own] };
}

function dataProblems(folder: string, facts: FolderFacts): readonly Problem[] {
  const { owner, user, fileSystem, freeFiles } = facts;
  const problems: Problem[] = [];
  // As root, all may be written; what is made then is not the other user's.
  if (user !== undefined && owner !== user && existsSync(folder))
    problems.push(fault(said((language) => dataWords[language].otherOwner, { folder, owner, user })));
  else problems.push(...writeProblems(folder, facts));
  const kind = remote.get(fileSystem);
  if (kind !== undefined) problems.push(doubt(said((language) => dataWords[language].remoteDisk, { folder, kind })));
  if (freeFiles !== undefined && freeFiles < fewFiles)
    problems.push(fault(said((language) => dataWords[language].noFilesLeft, { folder, left: freeFiles })));
  return problems;
}

function writeProblems(folder: string, { refusal }: FolderFacts): readonly Problem[] {
  if (refusal === undefined) return [];
  const at = { folder, code: refusal };
  return [
    refusal === 'EROFS'
      ? fault(said((language) => dataWords[language].readOnly, at))
      : fault(said((language) => dataWords[language].notWritable, at)),
  ];
}

function nearest(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder));
}

function factsOf(folder: string): FolderFacts {
  const { type, files, ffree } = statfsSync(folder);
  return {
    refusal: refusalAt(folder),
    owner: statSync(folder).uid,
    user: process.getuid?.(),
    fileSystem: type,
    // Some file systems count none.
    freeFiles: files === 0 ? undefined : ffree,
  };
}

function refusalAt(folder: string): string | undefined {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  }
}
