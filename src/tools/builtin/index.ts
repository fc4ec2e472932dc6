import { type ProcessGuardDependencies, processGuard } from '../guard/process/process.ts';
import { type WorkspaceFactory, workspaces } from '../guard/workspace/workspace.ts';
import { registrationOf, type ToolRegistration } from '../registry.ts';
import { echo } from './echo.ts';
import { editFile } from './files/edit-file.ts';
import { listDir } from './files/list-dir.ts';
import { readFile } from './files/read-file.ts';
import { writeFile } from './files/write-file.ts';
import { type ShellSettings, shell } from './shell.ts';

export interface BuiltinDependencies extends ProcessGuardDependencies {
  readonly settings: { readonly shell: ShellSettings };
  readonly workspaceAt?: WorkspaceFactory;
}

/** The tools that come with Keyturn. */
export function builtinTools(dependencies: BuiltinDependencies): readonly ToolRegistration[] {
  const { settings, workspaceAt = workspaces() } = dependencies;
  const runProcess = processGuard(dependencies);
  return [
    echo(),
    readFile({ workspaceAt }),
    listDir({ workspaceAt }),
    writeFile({ workspaceAt }),
    editFile({ workspaceAt }),
    shell({ runProcess, workspaceAt, settings: settings.shell }),
  ].map(registrationOf);
}
