# The reference: fit the model with lme4 and print its numbers as JSON.
#   Rscript calibration_lme4.R reviews.csv [ml|reml] [covariate ...] [weights=column]
suppressMessages(library(lme4))
arguments <- commandArgs(trailingOnly = TRUE)
reml <- "reml" %in% arguments[-1]
extra <- setdiff(arguments[-1], c("ml", "reml"))
weighted <- sub("^weights=", "", grep("^weights=", extra, value = TRUE))
covariates <- grep("^weights=", extra, value = TRUE, invert = TRUE)
data <- read.csv(arguments[1])
for (name in c("paper", "reviewer", covariates)) data[[name]] <- factor(data[[name]])
data$weight <- if (length(weighted)) data[[weighted]] else 1
terms <- paste0("(1|", c("paper", "reviewer", covariates), ")", collapse = " + ")
time <- system.time(
  fit <- suppressMessages(lmer(as.formula(paste("score ~ 1 +", terms)), data, REML = reml, weights = weight))
)
variances <- as.data.frame(VarCorr(fit))
value <- function(group) variances$vcov[variances$grp == group]
show <- function(name, x) sprintf('"%s": %.9g', name, x)
peak <- as.numeric(sub("\\D+(\\d+).*", "\\1", grep("VmHWM", readLines("/proc/self/status"), value = TRUE))) / 1e6
cat("{", paste(c(
  show("mu", fixef(fit)), show("alpha_f", value("paper")), show("alpha_b", value("reviewer")),
  sapply(covariates, function(name) show(name, value(name))),
  show("sigma2", value("Residual")), sprintf('"nll": %.9f', -as.numeric(logLik(fit))),
  show("seconds", time[["elapsed"]]), show("cpu_seconds", time[["user.self"]] + time[["sys.self"]]),
  show("evaluations", fit@optinfo$feval), show("gigabytes", peak),
  sprintf('"lme4": "%s", "blas": "%s"', packageVersion("lme4"), basename(extSoftVersion()[["BLAS"]]))
), collapse = ", "), "}\n")
