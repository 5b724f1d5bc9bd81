import { notOneOf } from '../../errors/nearest.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** @throws CliError (exit 2) */
export function parseShell(text: string): Shell {
  const shell = SHELLS.find((known) => known === text);
  if (shell !== undefined) return shell;
  throw notOneOf('SHELL', text, SHELLS);
}

/** Tells the script of a shell to complete file names. */
export const FILES_MARK = ':files';

/** The scripts call `svc`, so they stay valid with new versions. */
export const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# bash completion of svc
_svc_complete() {
  local line current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ "$line" == '${FILES_MARK}' ]]; then
      [[ "$current" == '=' ]] && current=''
      compopt -o filenames 2> /dev/null
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$current")
      return
    fi
    COMPREPLY+=("$line")
  done < <("\${COMP_WORDS[0]}" __complete bash "\${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
}
complete -F _svc_complete svc
`,
  zsh: `#compdef svc
# zsh completion of svc
_svc() {
  local -a lines described
  local line text
  lines=("\${(@f)$("\${words[1]}" __complete zsh "\${(@)words[2,CURRENT]}" 2> /dev/null)}")
  if [[ "\${lines[1]}" == '${FILES_MARK}' ]]; then
    _files
    return
  fi
  for line in "\${lines[@]}"; do
    [[ -n "$line" ]] || continue
    text="\${line#*$'\\t'}"
    described+=("\${\${line%%$'\\t'*}//:/\\\\:}\${text:+:$text}")
  done
  (( \${#described} )) && _describe -V svc described
}
if [[ "\${funcstack[1]}" == _svc ]]; then _svc "$@"; else compdef _svc svc; fi
`,
  fish: `# fish completion of svc
function __svc_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l lines ($words[1] __complete fish $words[2..-1] 2> /dev/null)
    if test "$lines[1]" = '${FILES_MARK}'
        __fish_complete_path (commandline -ct)
    else if set -q lines[1]
        printf '%s\\n' $lines
    end
end
complete --command svc --no-files --keep-order --arguments '(__svc_complete)'
`,
};
