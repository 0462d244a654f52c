/** Renders the library's reference from its docstrings. Result types come from the control plane's contract. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { parse } from 'yaml'
import type { Schema } from '../src/contract/Contract.ts'
import { markdownTable } from '../src/report/markdown.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

type Declaration =
  | ts.FunctionDeclaration
  | ts.InterfaceDeclaration
  | ts.TypeAliasDeclaration
  | ts.ClassDeclaration

const shapes = 'src/contract/shapes.ts'

/** Declarations of the library's exports, by name. */
const declarations = new Map<string, Declaration>(
  [
    'src/index.ts',
    'src/SimulatorOptions.ts',
    'src/client/SimulatorHandle.ts',
    'src/client/FaultOptions.ts',
    'src/client/SimulatorError.ts',
    'src/lib/UserError.ts',
    'src/lib/Issue.ts',
    'src/scenario/ScenarioError.ts',
    'src/findings/findings.ts',
    'src/service/settings.ts',
    'src/scenario/ScenarioDocument.ts',
    'src/http/overrides.ts',
    'src/http/tls.ts',
    'src/client/ControlPlane.ts',
    'src/world/World.ts',
    shapes, // last, because a declaration replaces an earlier one of the same name
  ].flatMap((path) =>
    ts
      .createSourceFile(path, readFileSync(root + path, 'utf8'), ts.ScriptTarget.Latest, true)
      .statements.flatMap((node) =>
        isDeclaration(node) && node.name ? [[node.name.text, node] as const] : [],
      ),
  ),
)

function isDeclaration(node: ts.Node): node is Declaration {
  return (
    ts.isFunctionDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isClassDeclaration(node)
  )
}

const argumentTypes = ['FaultOptions', 'ScheduledChange', 'ScenarioInput', 'RequestFilter', 'AccountScope']

/** Other argument types, with the pages that describe their values. */
const otherArgumentTypes: Record<string, string> = {
  ScenarioRef: 'scenarios.md',
  ScenarioNameOf: 'scenarios.md',
  ScenarioAccount: 'scenarios.md',
  ScenarioDocument: 'scenarios.md',
  Interpretations: 'assumptions.md',
  Overrides: 'extend.md',
  PatchOf: 'scenarios.md',
  TlsOptions: 'operate.md',
  UrlLike: '',
  LogLevel: '',
}

/** The schemas in the control plane's contract of return types whose declaration doesn't name them. */
const schemasByType: Record<string, string> = {
  AccountState: `Schemas['World']`,
  ClockReading: `Schemas['Clock']`,
}

/** The types of results: the shapes, and those that are declared elsewhere. */
const resultTypes = [...declarations.values()]
  .filter((node) => node.getSourceFile().fileName === shapes && isExported(node))
  .map(({ name }) => name?.text ?? '')
  .concat('ClockReading', 'Finding')
  .toSorted()

function isExported(node: Declaration): boolean {
  return node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
}

export function renderLibrary(): string {
  return [
    '## Start and connect',
    ...['startSimulator', 'openSimulator', 'connectSimulator'].map(renderFunction),
    '## Options',
    'Options of `startSimulator` and `openSimulator`. All are optional.',
    renderOptions(),
    '## The simulator',
    getDescription('SimulatorHandle'),
    ...getMembers('SimulatorHandle').map((member) => renderMember('sim.', member)),
    ...getMembers('StartedSimulator').map((member) => renderMember('sim.', member)),
    '## State, faults and requests of an account',
    'On `sim`, each of these calls takes `{ account: LOGIN }` as its last argument; it may be left out if there is one account, or, for changes, one besides those that `createAccount` made. On an account (from `sim.createAccount()` or `sim.account(LOGIN)`), they apply to that account.',
    ...getMembers('AccountControls')
      .filter((member) => getName(member) !== 'clock')
      // `sim.coverage()` is described above.
      .map((member) => renderMember(getName(member) === 'coverage' ? 'account.' : 'sim.', member)),
    '## The clock',
    getDescription('ClockControls'),
    ...getMembers('ClockControls').map((member) => renderMember('sim.clock.', member)),
    '## Isolated accounts',
    `${getDescription('Account')} It has the calls of the two sections above, and the fields of [NewAccount](#newaccount).`,
    ...getMembers('Account').map((member) => renderMember('account.', member)),
    '## Types of arguments',
    ...argumentTypes.map(renderArgumentType),
    '### Other types',
    renderOtherTypes(),
    '## Types of results',
    ...resultTypes.map(renderResultType),
    '## Errors',
    renderErrors(),
  ].join('\n\n')
}

function getDeclaration(name: string): Declaration {
  const declaration = declarations.get(name)
  if (!declaration) throw new Error(`The library doesn't declare ${name}.`)
  return declaration
}

function getMembers(name: string): ts.TypeElement[] {
  const node = getDeclaration(name)
  return ts.isInterfaceDeclaration(node) ? [...node.members].filter(({ name: memberName }) => memberName) : []
}

function getName(member: ts.TypeElement): string {
  return member.name?.getText() ?? ''
}

interface Docstring {
  text: string
  /** Returns the comments of all tags with a name. */
  tags: (name: string) => string[]
  params: [name: string, text: string][]
}

/** Parses the docstring of a declaration. */
function getDocstring(node: ts.Node): Docstring {
  const all = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)
  const tags = all.flatMap((one) => [...(one.tags ?? [])])
  const comment = (tag: ts.JSDocTag): string => ts.getTextOfJSDocComment(tag.comment) ?? ''
  return {
    text: all.map((one) => ts.getTextOfJSDocComment(one.comment) ?? '').join(' '),
    tags: (name) => tags.filter(({ tagName }) => tagName.text === name).map(comment),
    params: tags.filter(ts.isJSDocParameterTag).map((tag) => [tag.name.getText(), comment(tag)]),
  }
}

function getDescription(name: string): string {
  return toSentence(getDocstring(getDeclaration(name)).text)
}

/** Joins lines, and adds a full stop. */
function toSentence(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line === '' || /[.:]$/.test(line) ? line : `${line}.`
}

function renderFunction(name: string): string {
  const node = getDeclaration(name)
  if (!ts.isFunctionDeclaration(node)) throw new Error(`${name} is not a function.`)
  const params = node.parameters.map((one) => renderParameter(one)).join(', ')
  return renderSection(`${name}()`, `${name}(${params}): ${renderType(node.type)}`, node)
}

function renderMember(owner: string, member: ts.TypeElement): string {
  const name = getName(member)
  const type = ts.isPropertySignature(member) ? member.type : undefined
  if (type && ts.isFunctionTypeNode(type)) {
    const params = type.parameters.filter(({ dotDotDotToken }) => !dotDotDotToken).map(renderParameter)
    return renderSection(
      `${owner}${name}()`,
      `${name}(${params.join(', ')}): ${renderType(type.type)}`,
      member,
    )
  }
  if (type && ts.isTypeLiteralNode(type) && type.members.every(ts.isCallSignatureDeclaration)) {
    const calls = type.members.map((call) => `${name}${renderType(call)}`)
    return renderSection(`${owner}${name}()`, calls.join('; '), member)
  }
  return renderSection(`${owner}${name}`, `${name}: ${renderType(type)}`, member)
}

function renderParameter(node: ts.ParameterDeclaration): string {
  const optional = (node.questionToken ?? node.initializer) ? '?' : ''
  return `${node.name.getText()}${optional}: ${renderType(node.type)}`
}

/** Prints a type on one line, without type parameters, which only restrict names. */
function renderType(node: ts.Node | undefined): string {
  return (node?.getText() ?? '')
    .replaceAll(/([^\s{(;,])\n\s*(?=\w+\??:)/g, '$1; ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('<Name>', '')
    .replaceAll('<Op>', '')
    .replace(/\(typeof simulatorCases\)\[number\] \| .*/, 'string')
}

function renderSection(title: string, signature: string, node: ts.Node): string {
  const docs = getDocstring(node)
  if (docs.text === '') throw new Error(`${title} has no docstring.`)
  if (title.endsWith('()') && docs.tags('example').length === 0)
    throw new Error(`The docstring of ${title} has no @example.`)
  const notes = [
    ...docs.params.map(([name, text]) => `- \`${name}\`: ${toSentence(text)}`),
    ...docs.tags('returns').map((text) => `- Returns ${toSentence(text)}`),
    ...docs.tags('throws').map((text) => `- Throws ${toSentence(text)}`),
    ...renderTypeLinks(signature),
  ]
  return [
    `### ${title}`,
    `\`${signature}\``,
    toSentence(docs.text),
    notes.join('\n'),
    ...docs.tags('example').map(renderExample),
  ]
    .filter(Boolean)
    .join('\n\n')
}

function renderTypeLinks(signature: string): string[] {
  const names = [...argumentTypes, ...resultTypes].filter((name) =>
    new RegExp(`\\b${name}\\b`).test(signature),
  )
  return names.length > 0 ? [`- Types: ${names.map(renderTypeLink).join(', ')}`] : []
}

function renderTypeLink(name: string): string {
  return `[${name}](#${name.toLowerCase()})`
}

function renderExample(text: string): string {
  return `<!-- not run: test/slow/pages.test.ts compiles it -->\n\n\`\`\`ts\n${text.trim()}\n\`\`\``
}

function renderOptions(): string {
  const members = new Map(
    [...getMembers('SimulatorOptions'), ...getMembers('StartOptions')].map((member) => [
      getName(member),
      member,
    ]),
  )
  return renderFields([...members.values()], true)
}

/** Renders code that may contain backticks. */
function renderCode(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}

function renderFields(members: readonly ts.TypeElement[], withDefault: boolean): string {
  const rows = members.map((member) => {
    const docs = getDocstring(member)
    if (docs.text === '') throw new Error(`${getName(member)} has no docstring.`)
    const examples = docs.tags('example').map((text) => `Example: \`${text.trim()}\`.`)
    const type = ts.isPropertySignature(member) ? renderType(member.type) : ''
    const defaultValue = docs.tags('default')[0]
    return [
      `\`${getName(member)}\``,
      renderCode(type),
      ...(withDefault
        ? [
            defaultValue === undefined
              ? ''
              : /^(?:none|in memory)/.test(defaultValue)
                ? defaultValue
                : `\`${defaultValue}\``,
          ]
        : []),
      [toSentence(docs.text), ...examples].join(' '),
    ]
  })
  return markdownTable(['Name', 'Type', ...(withDefault ? ['Default'] : []), 'Meaning'], rows)
}

function renderArgumentType(name: string): string {
  const node = getDeclaration(name)
  const examples = getDocstring(node)
    .tags('example')
    .map((text) => `\`${text.trim()}\``)
  const exampleText = examples.length > 0 ? ` For example ${examples.join(' or ')}.` : ''
  const members = ts.isInterfaceDeclaration(node) ? getMembers(name) : listLiteralMembers(node)
  // Effects define the fields of a fault. The control plane's contract lists them.
  const table =
    name === 'FaultOptions'
      ? renderSchema(getSchema(`Schemas['Fault']`), ['id', 'seen', 'used'])
      : renderFields(members, false)
  return `### ${name}\n\n${getDescription(name)}${exampleText}\n\n${table}`
}

function renderOtherTypes(): string {
  const rows = Object.entries(otherArgumentTypes).map(([name, page]) => [
    `\`${name}\``,
    `${getDescription(name)}${page ? ` See [${getTitle(page)}](${page}).` : ''}`,
  ])
  return markdownTable(['Type', 'Meaning'], rows)
}

/** Returns the title of a page of the guide. */
function getTitle(page: string): string {
  return /^# (.*)/.exec(readFileSync(`${root}docs/${page}`, 'utf8'))?.[1] ?? page
}

/** Lists the members of all literals and interfaces in a type. */
function listLiteralMembers(node: ts.Node): ts.TypeElement[] {
  if (ts.isTypeLiteralNode(node) && !ts.isPropertySignature(node.parent)) return [...node.members]
  if (ts.isPropertySignature(node)) return []
  if (ts.isTypeReferenceNode(node)) return getMembers(node.typeName.getText())
  const found: ts.TypeElement[] = []
  node.forEachChild((child) => void found.push(...listLiteralMembers(child)))
  return found
}

const contract = parse(readFileSync(`${root}admin.openapi.yaml`, 'utf8')) as {
  paths: Record<string, Record<string, { operationId?: string; responses: Record<string, Schema> }>>
  components: Record<string, Record<string, Schema>>
}

function renderResultType(name: string): string {
  const node = declarations.get(name)
  const schema = getSchema(
    schemasByType[name] || (node && ts.isTypeAliasDeclaration(node) ? node.type.getText() : ''),
  )
  const description = (node && getDescription(name)) || toSentence(toText(schema['description']))
  if (description === '') throw new Error(`${name} has no docstring.`)
  return `### ${name}\n\n${description}\n\n${renderSchema(schema)}`
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function renderSchema(schema: Schema, omitted: readonly string[] = []): string {
  const rows = listRows(schema, '')
    .filter(([field]) => !omitted.includes(field))
    .map(([field, type, text]) => [`\`${field}\``, type, text])
  return markdownTable(['Field', 'Type', 'Meaning'], rows)
}

/** Finds the schema that a type of `shapes.ts` is derived from. */
function getSchema(type: string): Schema {
  const schemaName = /Schemas\['(?<schema>\w+)'\]/.exec(type)?.groups?.['schema']
  if (schemaName !== undefined) return contract.components['schemas']?.[schemaName] ?? {}
  const { operation, status = '200' } =
    /BodyOf<'(?<operation>\w+)'(?:, (?<status>\d+))?>/.exec(type)?.groups ?? {}
  const found = Object.values(contract.paths)
    .flatMap((methods) => Object.values(methods))
    .find(({ operationId }) => operationId === operation)
  const response = resolve(found?.responses[status] ?? {})
  const content = response['content'] as Record<string, { schema: Schema }> | undefined
  const schema = content?.['application/json']?.schema ?? {}
  return type.endsWith('[number]') ? (schema['items'] as Schema) : schema
}

type Row = [field: string, type: string, text: string]

/** Renders a row for each field, including those of nested objects. */
function listRows(schema: Schema, prefix: string): Row[] {
  const resolved = resolve(schema)
  const parts = [resolved, ...((resolved['allOf'] as Schema[] | undefined) ?? []).map(resolve)]
  return parts.flatMap((part) =>
    Object.entries((part['properties'] ?? {}) as Record<string, Schema>).flatMap(([name, field]): Row[] => {
      const path = prefix + name
      const { type, inner, suffix } = describeType(field)
      const text = toSentence(toText(field['description'] ?? resolve(field)['description']))
      return [[path, type, text], ...(inner ? listRows(inner, `${path}${suffix}.`) : [])]
    }),
  )
}

function resolve(schema: Schema): Schema {
  const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(\w+)$/.exec(toText(schema['$ref'])) ?? []
  return kind ? (contract.components[kind]?.[name] ?? {}) : schema
}

/** Describes the type of a field, and its nested fields if no other section does. */
function describeType(field: Schema): { type: string; inner?: Schema | undefined; suffix: string } {
  const section = findSection(field)
  if (section !== undefined) return { type: renderTypeLink(section), suffix: '' }
  const schema = resolve(field)
  const orNull = schema['nullable'] === true ? ' or null' : ''
  if (schema['type'] === 'array') {
    const element = describeType((schema['items'] ?? {}) as Schema)
    return { type: `array of ${element.type}${orNull}`, inner: element.inner, suffix: `[]${element.suffix}` }
  }
  if (schema['enum']) {
    const values = (schema['enum'] as unknown[]).map((one) => `\`${String(one)}\``)
    return { type: values.join(', '), suffix: '' }
  }
  const inner = schema['properties'] || schema['allOf'] ? schema : undefined
  return { type: `${toText(schema['type']) || 'any'}${orNull}`, inner, suffix: '' }
}

/** Finds the section of this page that describes a schema. */
function findSection(field: Schema): string | undefined {
  if (field['$ref'] === undefined) return undefined
  const schema = resolve(field)
  if (schema === getSchema(`Schemas['Fault']`)) return 'ActiveFault'
  return resultTypes.find((name) => {
    const node = declarations.get(name)
    const type = schemasByType[name] || (node && ts.isTypeAliasDeclaration(node) ? node.type.getText() : '')
    return getSchema(type) === schema
  })
}

function renderErrors(): string {
  const codes = getDocstring(getDeclaration('ErrorCode')).text
  return [
    '### UserError',
    getDescription('UserError'),
    renderClass('UserError'),
    `\`code\`: ${codes.trim()}`,
    '### SimulatorError',
    `${getDescription('SimulatorError')} Its \`code\` is \`ERR_PROXYSIM_REFUSED\`.`,
    renderClass('SimulatorError'),
    '### ScenarioError',
    `${getDescription('ScenarioError')} Its \`code\` is \`ERR_PROXYSIM_SCENARIO\`.`,
    renderClass('ScenarioError'),
  ].join('\n\n')
}

function renderClass(name: string): string {
  const node = getDeclaration(name)
  const members = ts.isClassDeclaration(node) ? node.members.filter(ts.isPropertyDeclaration) : []
  const rows = members
    .filter((member) => getDocstring(member).text !== '')
    .map((member) => [
      `\`${member.name.getText()}\``,
      `\`${renderType(member.type)}\``,
      toSentence(getDocstring(member).text),
    ])
  return markdownTable(['Field', 'Type', 'Meaning'], rows)
}
