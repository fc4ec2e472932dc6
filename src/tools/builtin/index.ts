import { type ProcessGuardDependencies, processGuard } from '../guard/process.ts';
import { type WorkspaceFactory, workspaces } from '../guard/workspace.ts';
import { registrationOf, type ToolRegistration } from '../registry.ts';
import { echo } from './echo.ts';
import { editFile } from './edit-file.ts';
import { listDir } from './list-dir.ts';
import { readFile } from './read-file.ts';
import { type ShellSettings, shell } from './shell.ts';
import { writeFile } from './write-file.ts';

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
