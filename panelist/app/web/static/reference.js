// The OpenAPI document as a page, without anything from elsewhere.
import { $, dotted, html, put } from "./dom.js";
import { askJson } from "./api.js";

const key = (schema) => schema?.$ref?.split("/").pop();
const name = (schema) => key(schema)?.replace(/(In|Out)$/, "");

/** Text with `code` in it. */
const prose = (text) => text.split("`").map((piece, position) => (position % 2 ? html`<code>${piece}</code>` : piece));

/** A type in words. */
function type(schema) {
  if (!schema) return "";
  if (schema.$ref) return name(schema);
  if (schema.anyOf) return schema.anyOf.map(type).join(" or ");
  if (schema.enum) return schema.enum.map((value) => `"${value}"`).join(", ");
  if (schema.const !== undefined) return `"${schema.const}"`;
  if (schema.type === "array") return `list of ${type(schema.items)}`;
  return schema.type ?? "anything";
}

function bounds(schema) {
  const limits = { minimum: "from", maximum: "to", maxLength: "at most … characters", maxItems: "at most … of them" };
  return Object.entries(limits)
    .filter(([key]) => schema[key] !== undefined)
    .map(([key, words]) => (words.includes("…") ? words.replace("…", schema[key]) : `${words} ${schema[key]}`))
    .join(" ");
}

function fields(document, schema) {
  const resolved = document.components.schemas[key(schema)] ?? schema;
  return Object.entries(resolved.properties ?? {}).map(([key, value]) => [
    key + (resolved.required?.includes(key) ? " *" : ""),
    type(value),
    dotted(
      value.description,
      bounds(value),
      (value.default ?? null) !== null && `default ${JSON.stringify(value.default)}`,
    ),
  ]);
}

function table(title, rows) {
  if (!rows.length) return null;
  const cells = (row) => row.map((cell, column) => html`<td>${column ? prose(cell) : html`<code>${cell}</code>`}</td>`);
  return html`
    <details>
      <summary>${title}</summary>
      <div class="scroll"><table><tbody>${rows.map((row) => html`<tr>${cells(row)}</tr>`)}</tbody></table></div>
    </details>`;
}

function route(document, path, method, operation) {
  const body = operation.requestBody?.content ?? {};
  const [kind, { schema } = {}] = Object.entries(body)[0] ?? [];
  const good = operation.responses["200"]?.content?.["application/json"]?.schema;
  const nested = schema
    ? Object.values(document.components.schemas[key(schema)]?.properties ?? {}).filter((value) => value.$ref)
    : [];
  const parameters = (operation.parameters ?? []).map(({ name, required, schema, description }) => [
    name + (required ? " *" : ""),
    type(schema),
    dotted(description ?? schema.description, bounds(schema)),
  ]);
  return html`
    <section class="route">
      <h3><span class="method">${method.toUpperCase()}</span><code>${path}</code>${operation.summary ?? ""}</h3>
      <p>${prose(operation.description ?? "")}</p>
      ${table("Parameters", parameters)}
      ${kind && table(`Request: ${name(schema) ?? kind}`, fields(document, schema))}
      ${nested.map((value) => table(name(value), fields(document, value)))}
      ${good && table(`Answer: ${type(good)}`, fields(document, good.items ?? good))}
    </section>`;
}

async function show() {
  $("#example").textContent =
    `curl ${location.origin}/api/v1/reviewers \\\n  -H 'Content-Type: application/json' -d '{"submission": {"title": "Lipid droplets in immunity"}, "options": {"size": 5, "diversity": 0.3}}'`;
  const document = await askJson("GET", "openapi.json");
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => route(document, path, method, operation)),
  );
  put($("#routes"), routes);
}

show().catch((problem) => {
  $("#routes").textContent = problem.message;
});
