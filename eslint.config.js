// What `make lint` asks of the scripts of the pages: ESLint's recommended rules, and a few that have found mistakes.
import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: [".venv/", "build/", "dist/", "node_modules/", "**/*.min.js"] },
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2024, sourceType: "module", globals: globals.browser },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-var": "error",
      "prefer-const": "error",
      "no-implicit-globals": "error",
      "no-unused-vars": ["error", { args: "after-used" }],
      "array-callback-return": "error",
      "no-self-compare": "error",
      "no-unmodified-loop-condition": "error",
    },
  },
];
